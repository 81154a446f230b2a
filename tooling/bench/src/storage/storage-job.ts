/** Job of a process that measures one load. The process gets the job as JSON on its command line and prints a figure to stdout. */
export interface StorageJob {
  /** Name of the load in `loads.ts`. */
  readonly load: string
  /** Unique number of the measurement. Keys contain it, so that keys in a shared etcd are unique. */
  readonly run: number
  readonly etcd: string | undefined
}

/** A load: an operation that the measurement repeats. */
export interface Load extends AsyncDisposable {
  /** Number of pending operations. */
  readonly inFlight: number
  /** Runs the operation once. `n` is the number of the operation, starting at 0. */
  runOnce(n: number): Promise<void>
}

export type OpenLoad = (job: StorageJob) => Promise<Load>
