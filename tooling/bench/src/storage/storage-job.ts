/** Job of one measuring process. Passed as JSON on its command line; the process prints a figure to stdout. */
export interface StorageJob {
  /** A name in `loads.ts`. */
  readonly load: string
  /** Unique per measurement, so that keys on a shared etcd are too. */
  readonly run: number
  readonly etcd: string | undefined
}

/** Operations to repeat. */
export interface Load extends AsyncDisposable {
  /** Number of pending operations. */
  readonly inFlight: number
  /** `n` counts from 0 and is unique. */
  once(n: number): Promise<void>
}

export type OpenLoad = (job: StorageJob) => Promise<Load>
