import type { Bench } from './bench.ts'
import type { WarmUp } from './warm-up.ts'

/** Result of one measurement of one side. Unknown values are absent. */
export interface Figure {
  /** Value in the item's unit. */
  readonly value: number
  /** Milliseconds per response in the closed loop. */
  readonly p50?: number
  readonly p99?: number
  readonly megabytesPerSecond?: number
  /** Processor seconds per 1,000 responses, events or operations. */
  readonly serverCpu?: number
  readonly clientCpu?: number
  /** Average number of busy cores. */
  readonly serverCores?: number
  readonly clientCores?: number
  readonly rssAnonMiB?: number
  /** Peak memory since the start of the measurement. */
  readonly peakRssMiB?: number
  /** Bytes allocated on the server's heap per response. */
  readonly allocatedBytes?: number
}

/** Latencies in milliseconds since the scheduled time of a request. */
export interface Latency {
  /** Scheduled requests per second. */
  readonly rate: number
  readonly p50: number
  readonly p99: number
}

/** Unit of an item's figures; it also determines whether more is better. */
export type Unit = 'requests/s' | 'events/s' | 'operations/s' | 'ms' | 'µs' | 's' | 'MiB' | 'faults'

export function moreIsBetter(unit: Unit): boolean {
  return unit.endsWith('/s')
}

export type Bar =
  /** A minimum share of the side "bare". */
  | { readonly type: 'share'; readonly least: number }
  | { readonly type: 'least'; readonly value: number }
  | { readonly type: 'most'; readonly value: number }
  /** A maximum ratio of the times of two sides. */
  | { readonly type: 'ratio'; readonly of: string; readonly to: string; readonly most: number }

/** One side of a comparison, measured in turns with the others: Keelson, the bare server, another server, or Keelson with more objects. */
export interface Side {
  readonly name: string
  measure(seconds: number): Promise<Figure>
  /** Replaces the default short warm-up. Returns undefined if no warm-up was needed. */
  warmUp?(): Promise<WarmUp | undefined>
  /** Sends the same requests at a fixed rate, independent of the responses. */
  latency?(rate: number, seconds: number): Promise<Latency>
  /** Profiles the process, in files with this name, until the result is disposed of. */
  profile?(file: string): Promise<AsyncDisposable>
  /** Closes connections that were kept between measurements. */
  close?(): void
}

/** The sides of an opened item, Keelson first. `bar` replaces the item's bar if it can only be computed after opening. */
export interface Opened {
  readonly sides: readonly Side[]
  readonly bar?: Bar
}

/** Rounds per item. */
export interface Rounds {
  readonly withBar: number
  /** Rounds for items without a bar. */
  readonly without: number
}

/** Restricts when an item runs. 'named' items need their name, their group or --full. 'full' items are slow and need their name or --full. */
export type Only = 'named' | 'full'

export interface Item {
  /** Name in the format GROUP/NAME. */
  readonly name: string
  readonly title: string
  readonly unit: Unit
  readonly bar?: Bar
  /** Excluded by default. */
  readonly only?: Only
  /** Whether other servers are measured too, and the item can be compared with a base revision. */
  readonly compares?: boolean
  /** Whether the item starts new servers and also reports their first seconds. */
  readonly cold?: boolean
  /** Maximum number of rounds, for slow measurements or ones with little variance. */
  readonly rounds?: number
  /** Resources are disposed of with `stack`. Returns undefined if the machine lacks a requirement. */
  open(bench: Bench, stack: AsyncDisposableStack): Promise<Opened | undefined>
}
