import type { DatasetSize, Dataset } from '../fill-store.ts'
import type { Cores, KeelsonOptions, Scratch, ServerUnderTest } from '../server-under-test.ts'

export type Store = 'embedded' | 'memory' | 'etcd'

export interface ServerOptions {
  /** Default: embedded. */
  readonly store?: Store
  /** Nobody else gets it, and its objects are its own. */
  readonly fresh?: boolean
  readonly probed?: KeelsonOptions['probed']
  readonly cores?: Cores
}

/** What items share: objects are made once, and a server goes on while items want the same. */
export interface Bench {
  readonly scratch: Scratch
  /** Of one measurement. */
  readonly seconds: number
  /** Whether the limit is measured too. Not when revisions are compared: it would only take time. */
  readonly withBare: boolean
  dataset(size: DatasetSize): Promise<Dataset>
  /** Ours, with objects, ready to list. Those that earlier items used are stopped. Undefined without an etcd to put it on. */
  server(size: DatasetSize, options?: ServerOptions): Promise<ServerUnderTest | undefined>
  /** What was asked for is not needed any longer, unless it is asked for again. */
  release(): void
  /** The next one is started anew. */
  stop(): Promise<void>
  /** The same servers of somebody else, or of another revision, with the usual objects: measured beside ours. */
  others(cores?: Cores): Promise<readonly ServerUnderTest[]>
  /** Where an etcd listens, one for the whole run. Undefined where there is none. */
  etcd(): Promise<string | undefined>
}
