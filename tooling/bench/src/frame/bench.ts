import type { DatasetSize, Dataset } from '../fill-store.ts'
import type { Cores, KeelsonOptions, Scratch, ServerUnderTest } from '../server-under-test.ts'

export type Store = 'embedded' | 'memory' | 'etcd'

export interface ServerOptions {
  /** Default: embedded. */
  readonly store?: Store
  /** Name of a copy of the dataset. Items with the same name share the copy and change its objects. */
  readonly own?: string
  readonly probed?: KeelsonOptions['probed']
  readonly cores?: Cores
}

/** Resources shared by items. Datasets are created once, and a server keeps running while the next items need it. */
export interface Bench {
  readonly scratch: Scratch
  /** Duration of one measurement. */
  readonly seconds: number
  /** Whether to measure bare servers too. False for a comparison of revisions, which does not need them. */
  readonly withBare: boolean
  dataset(size: DatasetSize): Promise<Dataset>
  /**
   * Starts a Keelson server with objects and waits until it can list them. Stops servers of earlier items. Returns undefined if the server
   * needs an etcd and there is none.
   */
  server(size: DatasetSize, options?: ServerOptions): Promise<ServerUnderTest | undefined>
  /** Marks all requested servers as unused; they are stopped unless a later item requests them. */
  release(): void
  /** Stops all servers; the next request starts a new one. */
  stop(): Promise<void>
  /**
   * Servers to compare with: another revision of Keelson, which gets the same objects, and a foreign server, which always has the usual
   * objects.
   */
  others(size: DatasetSize, options?: ServerOptions): Promise<readonly ServerUnderTest[]>
  /** URL of one etcd for the whole run; undefined if there is none. */
  etcd(): Promise<string | undefined>
}
