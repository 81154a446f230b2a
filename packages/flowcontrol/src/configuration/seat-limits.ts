import type { PriorityLevelConfiguration, PriorityLevelConfigurationSpec } from '@keelson/api/flowcontrol/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { Queuing } from '../fair-queuing/queuing.ts'

/** The seats of a priority level by its configuration. */
export interface SeatLimits {
  /** The share of the server's seats. */
  readonly nominal: number
  /** The seats that the level keeps, whatever other levels need. */
  readonly minimum: number
  /** The seats that the level gets at most, if it borrows from others. */
  readonly maximum: number
}

/** The part of the nominal seats that one request may occupy. */
const mostShareOfRequest = 0.15

/** Returns the shares of a level in the server's seats. */
export function readShares({ limited, exempt }: DeepReadonly<PriorityLevelConfigurationSpec>): number {
  return limited?.nominalConcurrencyShares ?? exempt?.nominalConcurrencyShares ?? 0
}

/** Computes the limits of a level. The nominal seats are rounded up, so all levels together may have a few more seats than the server. */
export function computeLimits(spec: DeepReadonly<PriorityLevelConfigurationSpec>, serverSeats: number, totalShares: number): SeatLimits {
  const shares = readShares(spec)
  // Without any shares, as only in broken configurations, kube-apiserver divides by zero.
  const nominal = totalShares === 0 ? 0 : Math.ceil((serverSeats * shares) / totalShares)
  const lendable = Math.round((nominal * ((spec.limited ?? spec.exempt)?.lendablePercent ?? 0)) / 100)
  const borrowingPercent = spec.limited?.borrowingLimitPercent
  const borrowed = borrowingPercent === undefined ? serverSeats : Math.round((nominal * borrowingPercent) / 100)
  return { nominal, minimum: nominal - lendable, maximum: nominal + borrowed }
}

/** Returns the most seats that one request of a level may occupy. 0: the level has no queues and therefore no such limit. */
export function computeMostSeats({ limited }: DeepReadonly<PriorityLevelConfigurationSpec>, nominal: number): number {
  const queuing = limited?.limitResponse?.queuing
  if (queuing === undefined) return 0
  return Math.max(1, Math.min(Math.ceil(nominal * mostShareOfRequest), Math.trunc(nominal / queuing.handSize)))
}

/** Returns how a level queues requests. Returns the problem as a text if its spec is broken. Validation does not accept such specs. */
export function readQueuing({ metadata, spec }: DeepReadonly<PriorityLevelConfiguration>): Queuing | string {
  const { type, limited, exempt } = spec ?? {}
  if ((type === 'Limited') !== (limited !== undefined)) return 'broken union structure at the top, for Limited'
  if ((type === 'Exempt') !== (exempt !== undefined)) return 'broken union structure at the top, for Exempt'
  if ((type === 'Exempt') !== (metadata.name === 'exempt')) return 'non-alignment between name and type'
  if (limited === undefined) return { type: 'exempt' }
  const { type: response, queuing } = limited.limitResponse ?? {}
  if ((response === 'Reject') !== (queuing === undefined)) return 'broken union structure for limit response'
  if (queuing === undefined) return { type: 'reject' }
  const { queues, handSize, queueLengthLimit } = queuing
  return { type: 'queue', queues, handSize, queueLengthLimit }
}
