/** What one measuring process does; handed over as JSON on its command line, answered by a figure on stdout. */
export interface StorageJob {
  /** A name in `loads.ts`. */
  readonly load: string
  /** Differs for each measurement, so that the keys on a shared etcd do too. */
  readonly run: number
  readonly etcd: string | undefined
}

/** Operations to repeat. */
export interface Load extends AsyncDisposable {
  /** As many are kept under way. */
  readonly inFlight: number
  /** `n` is another one each time, counted from 0. */
  once(n: number): Promise<void>
}

export type OpenLoad = (job: StorageJob) => Promise<Load>
