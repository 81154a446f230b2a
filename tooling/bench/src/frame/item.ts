import type { Bench } from './bench.ts'
import type { WarmUp } from './warm-up.ts'

/** What one measurement of one side gave. What is not known is absent. */
export interface Figure {
  /** In the item's unit. */
  readonly value: number
  /** Milliseconds of one answer, with as many under way as the load keeps. */
  readonly p50?: number
  readonly p99?: number
  readonly megabytesPerSecond?: number
  /** Processor seconds of 1,000 answers (or events, or operations). */
  readonly serverCpu?: number
  readonly clientCpu?: number
  /** Cores that were busy. */
  readonly serverCores?: number
  readonly clientCores?: number
  readonly rssAnonMiB?: number
  /** Since the measurement began. */
  readonly peakRssMiB?: number
  /** On the server's heap, for one answer. */
  readonly allocatedBytes?: number
}

/** Milliseconds, from when a request was due. */
export interface Latency {
  /** Requests that were due in a second. */
  readonly rate: number
  readonly p50: number
  readonly p99: number
}

/** How figures of one item are read: the unit, and whether more of it is better. */
export type Unit = 'requests/s' | 'events/s' | 'operations/s' | 'ms' | 'µs' | 's' | 'MiB' | 'faults'

export function moreIsBetter(unit: Unit): boolean {
  return unit.endsWith('/s')
}

export type Bar =
  /** Of the side "bare". */
  | { readonly type: 'share'; readonly least: number }
  | { readonly type: 'least'; readonly value: number }
  | { readonly type: 'most'; readonly value: number }
  /** One side's time beside another's. */
  | { readonly type: 'ratio'; readonly of: string; readonly to: string; readonly most: number }

/** One of those that are measured in turns: ours, the limit, another server, the same server with more objects. */
export interface Side {
  readonly name: string
  measure(seconds: number): Promise<Figure>
  /** Instead of a short measurement that does not count. Undefined where nothing was to be done. */
  warmUp?(): Promise<WarmUp | undefined>
  /** The same requests at a rate, whether or not answers come. */
  latency?(rate: number, seconds: number): Promise<Latency>
  /** Writes profiles of its process, under this name, until what it resolves to is disposed of. */
  profile?(file: string): Promise<AsyncDisposable>
  /** What it kept open between measurements. */
  close?(): void
}

/** Ours is the first side. A bar that is only known when everything is there replaces the item's. */
export interface Opened {
  readonly sides: readonly Side[]
  readonly bar?: Bar
}

/** Of one item. */
export interface Rounds {
  readonly withBar: number
  /** Of what nobody has to reach. */
  readonly without: number
}

/** 'named': by its name, its group's, or with --full. 'full': it takes long, a group's name does not mean it. */
export type Only = 'named' | 'full'

export interface Item {
  /** GROUP/NAME. */
  readonly name: string
  readonly title: string
  readonly unit: Unit
  readonly bar?: Bar
  /** Left out unless it is asked for. */
  readonly only?: Only
  /** Other servers are measured beside ours: it can be compared with a base revision. */
  readonly compares?: boolean
  /** What it opens has done nothing before: its first seconds are a figure too. */
  readonly cold?: boolean
  /** At most, where one measurement takes long or hardly varies. */
  readonly rounds?: number
  /** What it opens goes away with `stack`. Undefined when this machine lacks what it needs. */
  open(bench: Bench, stack: AsyncDisposableStack): Promise<Opened | undefined>
}
