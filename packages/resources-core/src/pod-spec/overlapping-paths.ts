import type { Volume, VolumeProjection } from '@keelson/api/core/v1'
import { quote } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'

interface PathOf {
  readonly path: string
  /** Returns a description of the source that writes the path. Undefined if the volume has only one source. */
  readonly source: (() => string) | undefined
}

type Items = readonly { readonly path: string }[]

/**
 * Maximum number of warnings about overlapping paths. More would not be sent: all warning headers of a response have at most 4096
 * characters in total, and each of these warnings has more than 40.
 */
const maxWarnings = 100

/** Maximum number of files per volume that are compared. Ignores further files, because the comparison takes quadratic time. */
const maxPaths = 1000

/** Returns warnings about files of a volume whose path is equal to, above or below the path of another file of the volume. */
export function findOverlappingPathWarnings(volumes: readonly DeepReadonly<Volume>[]): string[] {
  const warnings: string[] = []
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    if (warnings.length >= maxWarnings) break
    const warn = (describe: () => string, paths: readonly PathOf[]): void => {
      for (const overlap of findOverlaps(paths)) warnings.push(`volume ${quote(name)} (${describe()}): overlapping paths: ${overlap}`)
    }
    if (configMap?.items !== undefined) warn(() => `ConfigMap ${quote(configMap.name ?? '')}`, toPaths(configMap.items))
    if (secret?.items !== undefined) warn(() => `Secret ${quote(secret.secretName ?? '')}`, toPaths(secret.items))
    if (downwardAPI?.items !== undefined) warn(() => 'DownwardAPI', toPaths(downwardAPI.items))
    const sources = projected?.sources ?? []
    for (const source of sources) {
      if (Object.keys(source).length === 0) warnings.push(`volume ${quote(name)} (Projected) has no sources provided`)
    }
    if (sources.length > 0) warn(() => 'Projected', sources.flatMap(collectProjectedPaths))
  }
  return warnings
}

function toPaths(items: Items, source?: () => string): PathOf[] {
  return items.map(({ path }) => ({ path, source }))
}

/**
 * Returns the file paths that a projection writes. Uses only the first source, because validation rejects projections with several sources.
 */
function collectProjectedPaths(projection: DeepReadonly<VolumeProjection>): PathOf[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle: bundle, podCertificate } = projection
  if (configMap?.items !== undefined) return toPaths(configMap.items, () => `ConfigMap ${quote(configMap.name ?? '')}`)
  if (secret?.items !== undefined) return toPaths(secret.items, () => `Secret ${quote(secret.name ?? '')}`)
  if (downwardAPI?.items !== undefined) return toPaths(downwardAPI.items, () => 'DownwardAPI')
  if (serviceAccountToken !== undefined) return toPaths([serviceAccountToken], () => 'ServiceAccountToken')
  if (bundle !== undefined) return toPaths([bundle], () => `ClusterTrustBundle ${quote(bundle.name ?? bundle.signerName ?? '')}`)
  const { certificateChainPath, keyPath, credentialBundlePath } = podCertificate ?? {}
  return [
    { path: certificateChainPath ?? '', source: () => 'PodCertificate chain' },
    { path: keyPath ?? '', source: () => 'PodCertificate key' },
    { path: credentialBundlePath ?? '', source: () => 'PodCertificate credential bundle' },
  ].filter(({ path }) => path !== '')
}

function findOverlaps(paths: readonly PathOf[]): Iterable<string> {
  if (paths.length < 2) return []
  const warnings = new Set<string>()
  const different: PathOf[] = []
  for (const { path, source } of paths.slice(0, maxPaths)) {
    const candidate = { path: trimTrailingSlashes(path), source }
    let isRepeated = false
    for (const other of different) {
      if (!overlap(candidate.path, other.path)) continue
      warnings.add(`${describePath(candidate)} with ${describePath(other)}`)
      if (warnings.size === maxWarnings) return warnings
      isRepeated ||= candidate.path === other.path && candidate.source?.() === other.source?.()
    }
    if (!isRepeated) different.push(candidate)
  }
  return warnings
}

/** Trims trailing slashes of a path. Uses a loop, because a regular expression takes quadratic time on slashes inside the path. */
function trimTrailingSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return end === path.length ? path : path.slice(0, end)
}

function overlap(a: string, b: string): boolean {
  return a !== '' && b !== '' && (isWithin(a, b) || isWithin(b, a))
}

function isWithin(path: string, directory: string): boolean {
  return path.startsWith(directory) && (path.length === directory.length || path[directory.length] === '/')
}

function describePath({ path, source }: PathOf): string {
  return source === undefined ? quote(path) : `${quote(path)} (${source()})`
}
