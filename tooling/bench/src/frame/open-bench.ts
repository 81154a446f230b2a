import { cpSync } from 'node:fs'
import path from 'node:path'
import { startEtcd } from '@keelson/tooling-e2e/etcd-process'
import { findEtcd } from '@keelson/tooling-e2e/find-etcd'
import { fillEtcd, fillStore } from '../fill-store.ts'
import type { Dataset, DatasetSize } from '../fill-store.ts'
import { fillServer } from '../fill-server.ts'
import { startKeelson } from '../server-under-test.ts'
import type { KeelsonOptions, Scratch, ServerUnderTest } from '../server-under-test.ts'
import type { Bench, ServerOptions } from './bench.ts'

export interface BenchSetup {
  readonly scratch: Scratch
  readonly program: string
  readonly seconds: number
  /** URL of a running etcd. By default, the bench starts its own. */
  readonly etcd?: string | undefined
  /** A running API server that is not Keelson, to compare with. */
  readonly other?: ServerUnderTest | undefined
  /** The program of another revision, to compare with. */
  readonly base?: Program | undefined
}

/** A built Keelson program and the name of its side. */
export interface Program {
  readonly name: string
  readonly program: string
}

/** The default dataset: 10,000 pods of 8 KB. */
export const defaultDataset: DatasetSize = { pods: 10_000, configMaps: 0 }

export type OpenBench = Bench & AsyncDisposable

export function openBench({ scratch, program, seconds, etcd, other, base }: BenchSetup): OpenBench {
  const stack = new AsyncDisposableStack()
  const datasets = new Map<string, Promise<Dataset>>()
  const running = new Map<string, ServerUnderTest>()
  const requestedServers = new Set<string>()
  const ours: Program = { name: 'keelson', program }
  let ownEtcd: Promise<string | undefined> | undefined
  let filled: Promise<void> | undefined
  let prefixes = 0

  async function stopUnwanted(): Promise<void> {
    for (const [key, server] of running) {
      if (requestedServers.has(key)) continue
      running.delete(key)
      await server[Symbol.asyncDispose]()
    }
  }

  async function openEtcd(): Promise<string | undefined> {
    if (etcd !== undefined) return etcd
    const binary = findEtcd()
    if (binary === undefined) return undefined
    return stack.use(await startEtcd(binary, { flags: ['--quota-backend-bytes=8589934592'] })).url
  }

  /** Returns the dataset for a program. Each program has its own copy, because one revision may not be able to read the data of another. */
  function openDataset({ program: file }: Program, size: DatasetSize): Promise<Dataset> {
    const key = JSON.stringify([file, size])
    let dataset = datasets.get(key)
    if (dataset === undefined) datasets.set(key, (dataset = fillStore(scratch, file, size)))
    return dataset
  }

  async function start(
    of: Program,
    size: DatasetSize,
    { store = 'embedded', copyName, directory: given, probed = true, cores = 'one', flags = [] }: ServerOptions,
  ): Promise<ServerUnderTest | undefined> {
    const options = { name: of.name, probed, cores, flags } satisfies KeelsonOptions
    if (given !== undefined) return startKeelson(scratch, of.program, { ...options, dataDirectory: given })
    if (store === 'embedded') {
      const { directory } = await openDataset(of, size)
      if (copyName === undefined) return startKeelson(scratch, of.program, { ...options, dataDirectory: directory })
      const copy = path.join(scratch.path, `copy-${++prefixes}`)
      cpSync(directory, copy, { recursive: true })
      return startKeelson(scratch, of.program, { ...options, dataDirectory: copy })
    }
    const url = store === 'etcd' ? await bench.startEtcd() : undefined
    if (store === 'etcd' && url === undefined) return undefined
    const prefix = `/bench-${process.pid}-${++prefixes}`
    const server = await startKeelson(scratch, of.program, { ...options, store: url === undefined ? 'memory' : { etcd: url, prefix } })
    if (url === undefined) await fillServer(server, size)
    else await fillEtcd(server, url, prefix, size)
    return server
  }

  async function openServer(of: Program, size: DatasetSize, options: ServerOptions = {}): Promise<ServerUnderTest | undefined> {
    const { store = 'embedded', copyName, directory, probed = true, cores = 'one', flags = [] } = options
    const key = JSON.stringify([of.program, size, store, copyName, directory, probed, cores, flags])
    requestedServers.add(key)
    const runningServer = running.get(key)
    if (runningServer !== undefined) return runningServer
    await stopUnwanted()
    const server = await start(of, size, options)
    if (server !== undefined) running.set(key, server)
    return server
  }

  const bench: OpenBench = {
    scratch,
    seconds,
    withBare: base === undefined,
    createDataset: (size) => openDataset(ours, size),
    startServer: (size, options) => openServer(ours, size, options),
    async startComparedServers(size, options) {
      if (other !== undefined) await (filled ??= fillServer(other, defaultDataset))
      const revision = base === undefined ? undefined : await openServer(base, size, options)
      return [other, revision].filter((server) => server !== undefined)
    },
    startEtcd: () => (ownEtcd ??= openEtcd()),
    release: () => requestedServers.clear(),
    async stop() {
      requestedServers.clear()
      await stopUnwanted()
    },
    async [Symbol.asyncDispose]() {
      await bench.stop()
      await stack.disposeAsync()
    },
  }
  return bench
}
