import type { DatasetSize, Dataset } from '../fill-store.ts'
import type { Cores, KeelsonOptions, Scratch, ServerUnderTest } from '../server-under-test.ts'

export type Store = 'embedded' | 'memory' | 'etcd'

export interface ServerOptions {
  /** Default: embedded. */
  readonly store?: Store
  /** Its objects are copies that only those change who name the same. */
  readonly own?: string
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
  /** Measured beside ours: another revision's, treated as ours is, and somebody else's, which has the usual objects whatever is asked for. */
  others(size: DatasetSize, options?: ServerOptions): Promise<readonly ServerUnderTest[]>
  /** Where an etcd listens, one for the whole run. Undefined where there is none. */
  etcd(): Promise<string | undefined>
}
