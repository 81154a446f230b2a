import type { RequestedAction } from '@keelson/apimachinery'
import { estimateListSeats } from './list-seats.ts'
import type { ListRequest, ObjectStats } from './list-seats.ts'
import type { WatchCounts } from './watch-counts.ts'
import { oneSeat } from '../fair-queuing/fair-request.ts'
import type { WorkEstimate } from '../fair-queuing/fair-request.ts'
import { estimateWrite } from './write-seats.ts'

const mostListSeats = 100
const mostWriteSeats = 10
const writeVerbs: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete'])

/** Returns the statistics of the objects of a resource; undefined if it is unknown or served by another server. */
export type FindObjectStats = (action: RequestedAction) => ObjectStats | undefined

export interface WorkSources {
  findStats(action: RequestedAction): ObjectStats | undefined
  readonly watches: Pick<WatchCounts, 'countInterested'>
}

/** The priority level of a request, as far as its estimate depends on it. */
export interface EstimatingLevel {
  /** The most seats that one request of the level may occupy. 0: the level has no limit of its own. */
  readonly mostSeats: number
  /** Called with the number of watches that a write may have to inform. */
  observeWatches(count: number): void
}

/**
 * Estimates the work of a request, with kube-apiserver's constants. A list occupies a seat for each 100 KB of objects, and a watch as many until
 * it has sent the existing objects. A write occupies seats after its response while watches are informed. Any other request occupies one
 * seat.
 */
export function estimateWork(request: ListRequest, level: EstimatingLevel, sources: WorkSources): WorkEstimate {
  const { attributes } = request
  if (attributes.verb === 'list' || attributes.verb === 'watch') {
    const maximum = limitSeats(level.mostSeats, mostListSeats)
    const seats = Math.min(
      Math.max(
        1,
        estimateListSeats(request, () => sources.findStats(attributes)),
      ),
      maximum,
    )
    return seats === 1 ? oneSeat : { initialSeats: seats, finalSeats: 0, additionalLatency: 0 }
  }
  if (!writeVerbs.has(attributes.verb) || (attributes.resource === 'serviceaccounts' && attributes.subresource === 'token')) return oneSeat
  const count = sources.watches.countInterested(attributes)
  level.observeWatches(count)
  return estimateWrite(count, limitSeats(level.mostSeats, mostWriteSeats))
}

function limitSeats(ofLevel: number, maximum: number): number {
  return ofLevel === 0 ? maximum : Math.min(ofLevel, maximum)
}

/** Returns the most seats that a request occupies at any time. */
export function countMostSeats({ initialSeats, finalSeats }: WorkEstimate): number {
  return Math.max(initialSeats, finalSeats)
}
