import { mkdtempSync } from 'node:fs'
import path from 'node:path'
import { Scratch, startKeelson } from '../server-under-test.ts'
import type { KeelsonOptions, ServerUnderTest } from '../server-under-test.ts'
import type { CacheBench, CacheFigure, CacheItem } from './cache-item.ts'
import { fillStore } from './fill-store.ts'
import type { Dataset, DatasetSize } from './fill-store.ts'

export interface CacheResult extends CacheFigure {
  readonly name: string
  readonly title: string
}

/** Each item in turn; `onResult` hears of each when it is there, for all of them take minutes. */
export async function benchCache(
  items: readonly CacheItem[],
  options: {
    readonly program: string
    readonly seconds: number
    readonly rounds: number
    readonly onResult: (result: CacheResult) => void
  },
): Promise<CacheResult[]> {
  using scratch = new Scratch()
  await using servers = new Servers(scratch, options.program)
  const bench: CacheBench = {
    scratch,
    seconds: options.seconds,
    rounds: options.rounds,
    dataset: (size) => servers.dataset(size),
    server: (size) => servers.shared(size),
    freshServer: (size, server) => servers.fresh(size, server),
    emptyServer: (server) => servers.empty(server),
  }
  const results: CacheResult[] = []
  for (const item of items) {
    console.error(`measuring: ${item.title}`)
    const result = { name: item.name, title: item.title, ...(await item.run(bench)) }
    results.push(result)
    options.onResult(result)
  }
  return results
}

class Servers implements AsyncDisposable {
  readonly #scratch: Scratch
  readonly #program: string
  readonly #datasets = new Map<string, Promise<Dataset>>()
  #running: { readonly server: ServerUnderTest; readonly key: string } | undefined

  constructor(scratch: Scratch, program: string) {
    this.#scratch = scratch
    this.#program = program
  }

  dataset(size: DatasetSize): Promise<Dataset> {
    const key = JSON.stringify(size)
    let dataset = this.#datasets.get(key)
    if (dataset === undefined) this.#datasets.set(key, (dataset = fillStore(this.#scratch, this.#program, size)))
    return dataset
  }

  async shared(size: DatasetSize): Promise<ServerUnderTest> {
    const key = JSON.stringify(size)
    return this.#running?.key === key ? this.#running.server : this.#start(size, key, {})
  }

  fresh(size: DatasetSize, options: KeelsonOptions = {}): Promise<ServerUnderTest> {
    return this.#start(size, '', options)
  }

  empty(options: KeelsonOptions = {}): Promise<ServerUnderTest> {
    return this.#startOn(mkdtempSync(path.join(this.#scratch.path, 'empty-')), '', options)
  }

  async #start(size: DatasetSize, key: string, options: KeelsonOptions): Promise<ServerUnderTest> {
    // Filling starts servers too.
    await this[Symbol.asyncDispose]()
    return this.#startOn((await this.dataset(size)).directory, key, options)
  }

  async #startOn(directory: string, key: string, options: KeelsonOptions): Promise<ServerUnderTest> {
    await this[Symbol.asyncDispose]()
    const server = await startKeelson(this.#scratch, this.#program, { ...options, dataDirectory: directory })
    this.#running = { server, key }
    return server
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.server[Symbol.asyncDispose]()
  }
}
