import { createHash } from 'node:crypto'
import type { Dealer, FlowHash } from './dealer.ts'

/** Reason of a rejection, as in kube-apiserver's metrics. "time-out" also stands for requests whose client left the queue. */
export type RejectionReason = 'queue-full' | 'concurrency-limit' | 'time-out'

/** Current and total numbers of one flow schema at one priority level. A queue set changes them; metrics read them. */
export interface FlowSchemaCounters {
  readonly schema: string
  waitingRequests: number
  waitingSeats: number
  executingRequests: number
  /** Includes the seats that finished requests occupy during their additional latency. */
  seatsInUse: number
  dispatched: number
  /** Number of times that a request was next but did not find enough free seats. */
  unaccommodated: number
  readonly rejected: Record<RejectionReason, number>
}

export function createFlowSchemaCounters(schema: string): FlowSchemaCounters {
  return {
    schema,
    waitingRequests: 0,
    waitingSeats: 0,
    executingRequests: 0,
    seatsInUse: 0,
    dispatched: 0,
    unaccommodated: 0,
    rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0 },
  }
}

/** Requests that compete with other requests as one: those of a flow schema with the same distinguisher (a user or a namespace). */
export class Flow {
  readonly counters: FlowSchemaCounters
  readonly distinguisher: string
  readonly #hash: FlowHash
  #dealer: Dealer | undefined
  #hand: readonly number[] = []

  constructor(counters: FlowSchemaCounters, distinguisher: string, hash: FlowHash) {
    this.counters = counters
    this.distinguisher = distinguisher
    this.#hash = hash
  }

  /** Returns the queues that a request of this flow may join. Remembers the hand of the last dealer. */
  findHand(dealer: Dealer): readonly number[] {
    if (this.#dealer !== dealer) {
      this.#dealer = dealer
      this.#hand = dealer.deal(this.#hash)
    }
    return this.#hand
  }
}

/** Creates a flow. Hashing takes longer than queuing, so callers keep flows for the next requests. */
export function createFlow(counters: FlowSchemaCounters, distinguisher: string): Flow {
  return new Flow(counters, distinguisher, hashFlow(counters.schema, distinguisher))
}

/** Returns the hash that kube-apiserver uses, so that a flow gets the same queues on all servers of a cluster. */
export function hashFlow(schema: string, distinguisher: string): FlowHash {
  const sum = createHash('sha256').update(`${schema}\0${distinguisher}`).digest()
  return [sum.readUInt16LE(6), sum.readUInt16LE(4), sum.readUInt16LE(2), sum.readUInt16LE(0)]
}
