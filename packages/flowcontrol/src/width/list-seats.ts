import { parseInt64 } from '@keelson/apimachinery'
import type { RequestedAction } from '@keelson/apimachinery'
import { parseLooseBoolean } from '@keelson/exchange'

/** The number of stored objects of a resource, and their average size in bytes. */
export interface ObjectStats {
  readonly objectCount: number
  readonly estimatedAverageObjectSize: number
}

/** A list, or a watch that may begin with a list. */
export interface ListRequest {
  readonly attributes: RequestedAction
  readonly query: { get(name: string): string | null; readonly size: number }
}

const bytesPerSeat = 100_000
/** The most bytes of a list that the watch cache holds at once, because it streams lists. */
const mostCachedBytes = 1_000_000
/** The largest request that etcd accepts in its default configuration. Stands for an unknown size. */
const largestObject = 1_500_000
/** Stands for an unknown number of objects. */
const unknownCount = 1_000_000_000

/**
 * The statistics of a resource whose objects could not be counted for some time. They are as large as possible, because that is a sign of
 * problems.
 */
export const staleStats: ObjectStats = { objectCount: unknownCount, estimatedAverageObjectSize: largestObject }

/**
 * Returns the seats that a list needs, before bounds are applied: one for each 100 KB that it has in memory at once. `stats` are those of its
 * resource; undefined if the resource is unknown or served by another server. Returns Infinity for options that cannot be parsed.
 */
export function estimateListSeats({ attributes, query }: ListRequest, findStats: () => ObjectStats | undefined): number {
  const isSingle = attributes.name !== ''
  if (query.size === 0) return computeSeats(findStats(), { isCached: true, isSingle })
  const limit = readInteger(query.get('limit'))
  if (limit === undefined || readInteger(query.get('timeoutSeconds')) === undefined) return Number.POSITIVE_INFINITY
  const isWatch = attributes.verb === 'watch'
  if (isWatch && !startsWithState(query)) return 1
  return computeSeats(findStats(), {
    isCached: isWatch || !isReadFromStore(query, limit),
    isSingle,
    isSelective: Boolean(query.get('fieldSelector')) || Boolean(query.get('labelSelector')),
    limit,
  })
}

interface ListShape {
  readonly isCached: boolean
  readonly isSingle: boolean
  readonly isSelective?: boolean
  readonly limit?: number
}

function computeSeats(stats: ObjectStats | undefined, { isCached, isSingle, isSelective = false, limit = 0 }: ListShape): number {
  if (stats === undefined) return 1
  const { objectCount, estimatedAverageObjectSize } = stats
  const size = estimatedAverageObjectSize <= 0 && objectCount !== 0 ? largestObject : estimatedAverageObjectSize
  const limited = limit > 0 ? Math.min(limit, objectCount) : objectCount
  let loaded = limited
  if (isSingle) loaded = 1
  else if (!isCached && isSelective) loaded = Math.max(limited, Math.trunc(objectCount / 2))
  const bytes = loaded * size
  return Math.ceil((isCached ? Math.min(bytes, mostCachedBytes) : bytes) / bytesPerSeat)
}

/** Returns whether a watch begins with the existing objects. */
function startsWithState(query: ListRequest['query']): boolean {
  const version = query.get('resourceVersion') ?? ''
  return version === '' || version === '0' || parseLooseBoolean(query.get('sendInitialEvents'))
}

/** Returns whether the store answers a list rather than the watch cache, as kube-apiserver decides without looking at the cache. */
function isReadFromStore(query: ListRequest['query'], limit: number): boolean {
  const match = query.get('resourceVersionMatch') ?? ''
  if (match !== '') return match !== 'NotOlderThan'
  if (query.get('continue')) return true
  const version = query.get('resourceVersion') ?? ''
  return limit > 0 && version !== '' && version !== '0'
}

/** Parses an integer of a query. Returns 0 if it is absent, and undefined if it is malformed. */
function readInteger(text: string | null): number | undefined {
  if (text === null) return 0
  const value = parseInt64(text)
  return value === undefined ? undefined : Number(value)
}
