import type { Fault } from './faults.ts'
import { matchesRequest } from './request-log.ts'
import type { ClusterRequest, RequestMatch } from './request-log.ts'

export interface RandomFaultOptions {
  /** Faults to choose from. */
  readonly faults: readonly Fault[]
  /** Requests that may be hit. Default: all requests. */
  readonly match?: RequestMatch
  /** Part of the requests that are hit, from 0 to 1. Default: 0.2. */
  readonly rate?: number
  /** Seed of the choice. The same requests are hit by the same faults with the same seed. Default: a random number. */
  readonly seed?: number
}

interface Hit {
  readonly request: ClusterRequest
  readonly fault: Fault
}

/** Number of hits that the message of an error lists. */
const maxListedHits = 20

/**
 * Chooses faults by a seed. The choice depends on the request and on how often it was sent before, and not on other requests. So it is the same
 * if requests arrive in another order.
 */
export class RandomFaults {
  readonly seed: number
  readonly #options: RandomFaultOptions
  readonly #counts = new Map<string, number>()
  readonly #hits: Hit[] = []
  #requests = 0
  #hitCount = 0

  constructor(options: RandomFaultOptions) {
    const { faults, rate = 0.2, seed = Math.floor(Math.random() * 2 ** 31) } = options
    if (faults.length === 0) throw new RangeError('faults: must have at least one fault')
    if (!(rate >= 0 && rate <= 1)) throw new RangeError(`rate: ${rate} must be between 0 and 1`)
    this.seed = seed
    this.#options = options
  }

  take(request: ClusterRequest): Fault | undefined {
    const { faults, match = {}, rate = 0.2 } = this.#options
    if (!matchesRequest(match, request)) return undefined
    this.#requests++
    const { verb, resource, subresource, namespace, name, user } = request
    const identity = [verb, resource, subresource, namespace, name, user].join(' ')
    const count = this.#counts.get(identity) ?? 0
    this.#counts.set(identity, count + 1)
    const number = hashText(`${this.seed} ${identity} ${count}`)
    if (number / 2 ** 32 >= rate) return undefined
    const fault = faults[hashText(`${number}`) % faults.length]!
    this.#hitCount++
    if (this.#hits.length < maxListedHits) this.#hits.push({ request, fault })
    return fault
  }

  /** Returns the seed and the requests that were hit, for the message of an error. */
  describe(): string {
    const listed = this.#hits.map(({ request, fault }) => `  ${formatFault(fault)}: ${formatRequest(request)}`)
    if (this.#hitCount > listed.length) listed.push(`  and ${this.#hitCount - listed.length} more`)
    return [`random faults hit ${this.#hitCount} of ${this.#requests} requests; repeat with seed: ${this.seed}`, ...listed].join('\n')
  }
}

function formatFault(fault: Fault): string {
  if (typeof fault === 'string') return fault
  return fault instanceof Error ? fault.message : JSON.stringify(fault)
}

function formatRequest({ verb, resource, subresource, namespace, name, path }: ClusterRequest): string {
  if (resource === '') return `${verb} ${path}`
  const object = [namespace, name].filter((part) => part !== '').join('/')
  return [verb, subresource === '' ? resource : `${resource}/${subresource}`, object].filter((part) => part !== '').join(' ')
}

/** Returns a number from 0 to 2^32 - 1 for a text (FNV-1a with a final mix, because short texts differ in their last bits only). */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
