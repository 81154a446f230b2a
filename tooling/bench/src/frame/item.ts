import type { Bench } from './bench.ts'
import type { WarmUp } from './warm-up.ts'

/** Result of one measurement of one side. Unknown values are absent. */
export interface Figure {
  /** In the item's unit. */
  readonly value: number
  /** Milliseconds per response, with as many pending requests as the load keeps. */
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
  /** Peak since the start of the measurement. */
  readonly peakRssMiB?: number
  /** Bytes allocated on the server's heap per response. */
  readonly allocatedBytes?: number
}

/** Milliseconds since the scheduled time of a request. */
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

/** One of the sides that are measured in turns: our server, the limit, another server, or our server with more objects. */
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

/** Our server is the first side. A bar here replaces the item's, if it can only be computed after opening. */
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

/** When an item runs. 'named': selected by its name or its group, or with --full. 'full': takes long; not selected by its group. */
export type Only = 'named' | 'full'

export interface Item {
  /** Format: GROUP/NAME. */
  readonly name: string
  readonly title: string
  readonly unit: Unit
  readonly bar?: Bar
  /** Excluded by default. */
  readonly only?: Only
  /** Other servers are measured too; the item can be compared with a base revision. */
  readonly compares?: boolean
  /** Opens fresh servers, whose first seconds are reported too. */
  readonly cold?: boolean
  /** Maximum number of rounds, for slow measurements or ones with little variance. */
  readonly rounds?: number
  /** Resources are disposed of with `stack`. Returns undefined if the machine lacks a requirement. */
  open(bench: Bench, stack: AsyncDisposableStack): Promise<Opened | undefined>
}
