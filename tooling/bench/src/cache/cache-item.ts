import type { KeelsonOptions, Scratch, ServerUnderTest } from '../server-under-test.ts'
import type { Dataset, DatasetSize } from './fill-store.ts'

/** A bar that the cache, or what serves from it, has to meet. */
export interface CacheItem {
  /** `cache/NAME` on the command line. */
  readonly name: string
  readonly title: string
  run(bench: CacheBench): Promise<CacheFigure>
}

export interface CacheFigure {
  /** What was measured, beside it what it used: for a terminal. */
  readonly lines: readonly string[]
  readonly wanted: string
  readonly reached: string
  readonly met: boolean
}

/** What items share: objects are made once, and only one server of ours runs at a time. */
export interface CacheBench {
  readonly scratch: Scratch
  readonly seconds: number
  readonly rounds: number
  dataset(size: DatasetSize): Promise<Dataset>
  /** A server on a dataset, ready to list. The one before it is stopped unless it is the same. */
  server(size: DatasetSize): Promise<ServerUnderTest>
  /** A fresh one that nobody else gets. The one before it is stopped. */
  freshServer(size: DatasetSize, options?: KeelsonOptions): Promise<ServerUnderTest>
  /** The same without any objects. */
  emptyServer(options?: KeelsonOptions): Promise<ServerUnderTest>
}
