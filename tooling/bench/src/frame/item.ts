import type { Bench } from './bench.ts'
import type { WarmUp } from './warm-up.ts'

/** Result of one measurement of one side. Values that were not measured are absent. */
export interface Figure {
  /** Measured value in the unit of the item. */
  readonly value: number
  /** Median latency in milliseconds, while each response triggers the next request. */
  readonly p50?: number
  readonly p99?: number
  readonly megabytesPerSecond?: number
  /** Processor time of the server in seconds per 1,000 responses, events or operations. */
  readonly serverCpu?: number
  readonly clientCpu?: number
  /** Average number of cores that the server used. */
  readonly serverCores?: number
  readonly clientCores?: number
  readonly rssAnonMiB?: number
  /** Peak resident memory of the server during the measurement. */
  readonly peakRssMiB?: number
  /** Bytes allocated on the server's heap per response. */
  readonly allocatedBytes?: number
}

/** Latencies in milliseconds, counted from the scheduled time of each request. */
export interface Latency {
  /** Scheduled requests per second. */
  readonly rate: number
  readonly p50: number
  readonly p99: number
}

/** Unit of an item's figures; it also determines whether more is better. */
export type Unit = 'requests/s' | 'events/s' | 'operations/s' | 'ms' | 'µs' | 's' | 'MiB' | 'faults'

export function isMoreBetter(unit: Unit): boolean {
  return unit.endsWith('/s')
}

export type Bar =
  /** Minimum result, as a share of the result of the side "bare". */
  | { readonly type: 'share'; readonly least: number }
  | { readonly type: 'least'; readonly value: number }
  | { readonly type: 'most'; readonly value: number }
  /** Maximum ratio of the durations of two sides. */
  | { readonly type: 'ratio'; readonly of: string; readonly to: string; readonly maximum: number }

/**
 * One of the servers that an item compares: Keelson, the bare server, another server, or Keelson with more objects. The sides are measured
 * in turns.
 */
export interface Side {
  readonly name: string
  measure(seconds: number): Promise<Figure>
  /** Warms up the server instead of the default short measurement. Returns undefined if no warm-up was needed. */
  warmUp?(): Promise<WarmUp | undefined>
  /** Measures latencies by sending the same requests at a fixed rate, independent of the responses. */
  measureLatency?(rate: number, seconds: number): Promise<Latency>
  /** Starts CPU and heap profiles of the server. Disposing the result writes the profiles to files with this prefix. */
  startProfile?(file: string): Promise<AsyncDisposable>
  /** Closes connections that stay open between measurements. */
  close?(): void
}

/** The sides of an opened item, Keelson first. `bar` replaces the bar of the item. It is set if the bar depends on the opened servers. */
export interface Opened {
  readonly sides: readonly Side[]
  readonly bar?: Bar
}

/** Number of rounds per item. */
export interface Rounds {
  readonly withBar: number
  /** Number of rounds for items without a bar. */
  readonly without: number
}

/**
 * Flags that an item needs to run. 'named' items run if their name or group is given, or with --full. 'full' items are slow and run only if
 * their name is given, or with --full.
 */
export type Only = 'named' | 'full'

export interface Item {
  /** Name in the format GROUP/NAME. */
  readonly name: string
  readonly title: string
  readonly unit: Unit
  readonly bar?: Bar
  /** Flags that the item needs. By default, it always runs. */
  readonly only?: Only
  /** Whether the item can also measure other servers and a base revision. */
  readonly compares?: boolean
  /** Whether the item starts new servers and also reports their first seconds. */
  readonly cold?: boolean
  /** Maximum number of rounds. Set for measurements that are slow or have little variance. */
  readonly rounds?: number
  /**
   * Starts the servers of the item. Adds resources to `stack`, which disposes them at the end. Returns undefined if the machine lacks a
   * requirement.
   */
  open(bench: Bench, stack: AsyncDisposableStack): Promise<Opened | undefined>
}
