import type { Volume, VolumeProjection } from '@keelson/api/core/v1'
import { quote } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'

interface PathOf {
  readonly path: string
  /** What writes there; undefined when the whole volume has one source. */
  readonly source: (() => string) | undefined
}

type Items = readonly { readonly path: string }[]

/** A header has room for 4096 characters of different warnings, and each of these has more than forty. */
const maxWarnings = 100

/** Each is compared with each: a volume that places more files is looked at so far. */
const maxPaths = 1000

/** Files of a volume that lie where another of its files or directories is. One warning of a kind, and no more than can be told. */
export function overlappingPathWarnings(volumes: readonly DeepReadonly<Volume>[]): string[] {
  const warnings: string[] = []
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    if (warnings.length >= maxWarnings) break
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

function overlaps(paths: readonly PathOf[]): Iterable<string> {
  if (paths.length < 2) return []
  const found = new Set<string>()
  const different: PathOf[] = []
  for (const { path, source } of paths.slice(0, maxPaths)) {
    const one = { path: withoutSlashesBehind(path), source }
    let isRepeated = false
    for (const other of different) {
      if (!collide(one.path, other.path)) continue
      found.add(`${describePath(one)} with ${describePath(other)}`)
      if (found.size === maxWarnings) return found
      isRepeated ||= one.path === other.path && one.source?.() === other.source?.()
    }
    if (!isRepeated) different.push(one)
  }
  return found
}

/** From the end: a regular expression would start again at every slash within. */
function withoutSlashesBehind(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return end === path.length ? path : path.slice(0, end)
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
