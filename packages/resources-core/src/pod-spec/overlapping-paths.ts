import type { Volume, VolumeProjection } from '@keelson/api/core/v1'
import { quote } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'

interface PathOf {
  readonly path: string
  /** What writes there; undefined when the whole volume has one source. */
  readonly source: (() => string) | undefined
}

type Items = readonly { readonly path: string }[]

/** Files of a volume that lie where another of its files or directories is. */
export function overlappingPathWarnings(volumes: readonly DeepReadonly<Volume>[]): string[] {
  const warnings: string[] = []
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    const warn = (describe: () => string, paths: readonly PathOf[]): void => {
      for (const overlap of overlaps(paths)) warnings.push(`volume ${quote(name)} (${describe()}): overlapping paths: ${overlap}`)
    }
    if (configMap?.items !== undefined) warn(() => `ConfigMap ${quote(configMap.name ?? '')}`, pathsOf(configMap.items))
    if (secret?.items !== undefined) warn(() => `Secret ${quote(secret.secretName ?? '')}`, pathsOf(secret.items))
    if (downwardAPI?.items !== undefined) warn(() => 'DownwardAPI', pathsOf(downwardAPI.items))
    const sources = projected?.sources ?? []
    for (const source of sources) {
      if (Object.keys(source).length === 0) warnings.push(`volume ${quote(name)} (Projected) has no sources provided`)
    }
    if (sources.length > 0) warn(() => 'Projected', sources.flatMap(projectedPaths))
  }
  return warnings
}

function pathsOf(items: Items, source?: () => string): PathOf[] {
  return items.map(({ path }) => ({ path, source }))
}

/** A projection that has several sources is refused; only the first is looked at. */
function projectedPaths(projection: DeepReadonly<VolumeProjection>): PathOf[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle: bundle, podCertificate } = projection
  if (configMap?.items !== undefined) return pathsOf(configMap.items, () => `ConfigMap ${quote(configMap.name ?? '')}`)
  if (secret?.items !== undefined) return pathsOf(secret.items, () => `Secret ${quote(secret.name ?? '')}`)
  if (downwardAPI?.items !== undefined) return pathsOf(downwardAPI.items, () => 'DownwardAPI')
  if (serviceAccountToken !== undefined) return pathsOf([serviceAccountToken], () => 'ServiceAccountToken')
  if (bundle !== undefined) return pathsOf([bundle], () => `ClusterTrustBundle ${quote(bundle.name ?? bundle.signerName ?? '')}`)
  const { certificateChainPath, keyPath, credentialBundlePath } = podCertificate ?? {}
  return [
    { path: certificateChainPath ?? '', source: () => 'PodCertificate chain' },
    { path: keyPath ?? '', source: () => 'PodCertificate key' },
    { path: credentialBundlePath ?? '', source: () => 'PodCertificate credential bundle' },
  ].filter(({ path }) => path !== '')
}

function overlaps(paths: readonly PathOf[]): string[] {
  const found: string[] = []
  if (paths.length < 2) return found
  const trimmed = paths.map(({ path, source }) => ({ path: path.endsWith('/') ? path.replace(/\/+$/, '') : path, source }))
  for (const [i, one] of trimmed.entries()) {
    for (let j = 0; j < i; j++) {
      const other = trimmed[j]!
      if (collide(one.path, other.path)) found.push(`${describePath(one)} with ${describePath(other)}`)
    }
  }
  return found
}

function collide(a: string, b: string): boolean {
  return a !== '' && b !== '' && (isWithin(a, b) || isWithin(b, a))
}

function isWithin(path: string, directory: string): boolean {
  return path.startsWith(directory) && (path.length === directory.length || path[directory.length] === '/')
}

function describePath({ path, source }: PathOf): string {
  return source === undefined ? quote(path) : `${quote(path)} (${source()})`
}
