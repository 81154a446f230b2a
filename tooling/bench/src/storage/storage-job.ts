/** Job of one measuring process. The process receives it as JSON on its command line and prints a figure to stdout. */
export interface StorageJob {
  /** Name of a load in `loads.ts`. */
  readonly load: string
  /** Number of the measurement. It is unique, so that keys in a shared etcd are unique too. */
  readonly run: number
  readonly etcd: string | undefined
}

/** Operations to repeat. */
export interface Load extends AsyncDisposable {
  /** Number of pending operations. */
  readonly inFlight: number
  /** Runs one operation. `n` counts from 0 and is unique. */
  once(n: number): Promise<void>
}

export type OpenLoad = (job: StorageJob) => Promise<Load>
