import type { DatasetSize, Dataset } from '../fill-store.ts'
import type { Cores, KeelsonOptions, Scratch, ServerUnderTest } from '../server-under-test.ts'

export type Store = 'embedded' | 'memory' | 'etcd'

export interface ServerOptions {
  /** Store of the server. Default: embedded. */
  readonly store?: Store
  /** Name of a copy of the dataset that the item changes. Items with the same name share the copy. */
  readonly copyName?: string
  /** Data directory of the server, instead of the directory of the dataset. Must be used with the store "embedded". */
  readonly directory?: string
  readonly probed?: KeelsonOptions['probed']
  readonly cores?: Cores
  /** More flags of the server. */
  readonly flags?: readonly string[]
}

/** Servers and datasets that items share. Each dataset is created once. A server keeps running as long as the following items need it. */
export interface Bench {
  readonly scratch: Scratch
  /** Duration of one measurement in seconds. */
  readonly seconds: number
  /** Whether to measure bare servers too. False for a comparison of revisions. */
  readonly withBare: boolean
  createDataset(size: DatasetSize): Promise<Dataset>
  /**
   * Starts a Keelson server with the objects of a dataset and waits until it can list the objects. Stops the servers of earlier items.
   * Returns undefined if the server needs etcd and etcd is not installed.
   */
  startServer(size: DatasetSize, options?: ServerOptions): Promise<ServerUnderTest | undefined>
  /** Marks all servers as unused. A server is stopped later, unless the next item requests it. */
  release(): void
  /** Stops all servers. The next call of `startServer` starts a new one. */
  stop(): Promise<void>
  /**
   * Returns the servers to compare with. Another revision of Keelson gets the same objects. A foreign server always has the default dataset.
   */
  startComparedServers(size: DatasetSize, options?: ServerOptions): Promise<readonly ServerUnderTest[]>
  /** Returns the URL of the etcd that all items share. Returns undefined if etcd is not installed. */
  startEtcd(): Promise<string | undefined>
}
