import { cpSync } from 'node:fs'
import path from 'node:path'
import { startEtcd } from '@keelson/tooling-e2e/etcd-process'
import { findEtcd } from '@keelson/tooling-e2e/find-etcd'
import { fillEtcd, fillStore } from '../fill-store.ts'
import type { Dataset, DatasetSize } from '../fill-store.ts'
import { fillServer } from '../fill-server.ts'
import { startKeelson } from '../server-under-test.ts'
import type { Cores, KeelsonOptions, Scratch, ServerUnderTest } from '../server-under-test.ts'
import type { Bench, ServerOptions, Store } from './bench.ts'

export interface BenchSetup {
  readonly scratch: Scratch
  readonly program: string
  readonly seconds: number
  /** An etcd to use instead of one of our own, so that a server that is compared can be on the same. */
  readonly etcd?: string | undefined
  /** Of somebody else, running. */
  readonly other?: ServerUnderTest | undefined
  /** Another revision's program. */
  readonly base?: { readonly name: string; readonly program: string } | undefined
}

/** 10,000 pods of 8 KB. */
export const usual: DatasetSize = { pods: 10_000, configMaps: 0 }

export type OpenBench = Bench & AsyncDisposable

export function openBench({ scratch, program, seconds, etcd, other, base }: BenchSetup): OpenBench {
  const stack = new AsyncDisposableStack()
  const datasets = new Map<string, Promise<Dataset>>()
  const running = new Map<string, ServerUnderTest>()
  const wanted = new Set<string>()
  const others = new Map<Cores, Promise<readonly ServerUnderTest[]>>()
  let ownEtcd: Promise<string | undefined> | undefined
  let prefixes = 0

  async function stopUnwanted(): Promise<void> {
    for (const [key, server] of running) {
      if (wanted.has(key)) continue
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

  async function start(
    size: DatasetSize,
    store: Store,
    { fresh = false, probed = true, cores = 'one' }: ServerOptions,
  ): Promise<ServerUnderTest | undefined> {
    const options = { probed, cores } satisfies KeelsonOptions
    if (store === 'embedded') {
      const { directory } = await bench.dataset(size)
      if (!fresh) return startKeelson(scratch, program, { ...options, dataDirectory: directory })
      const copy = path.join(scratch.path, `copy-${++prefixes}`)
      cpSync(directory, copy, { recursive: true })
      return startKeelson(scratch, program, { ...options, dataDirectory: copy })
    }
    const url = store === 'etcd' ? await bench.etcd() : undefined
    if (store === 'etcd' && url === undefined) return undefined
    const prefix = `/bench-${process.pid}-${++prefixes}`
    const server = await startKeelson(scratch, program, { ...options, store: url === undefined ? 'memory' : { etcd: url, prefix } })
    if (url === undefined) await fillServer(server, size)
    else await fillEtcd(server, url, prefix, size)
    return server
  }

  async function openOthers(cores: Cores): Promise<readonly ServerUnderTest[]> {
    const servers = other === undefined ? [] : [other]
    if (base !== undefined) servers.push(stack.use(await startKeelson(scratch, base.program, { name: base.name, cores })))
    for (const server of servers) await fillServer(server, usual)
    return servers
  }

  const bench: OpenBench = {
    scratch,
    seconds,
    withBare: base === undefined,
    dataset(size) {
      const key = JSON.stringify(size)
      let dataset = datasets.get(key)
      if (dataset === undefined) datasets.set(key, (dataset = fillStore(scratch, program, size)))
      return dataset
    },
    async server(size, options = {}) {
      const { store = 'embedded', fresh = false, probed = true, cores = 'one' } = options
      const key = fresh ? `fresh ${++prefixes}` : JSON.stringify({ size, store, probed, cores })
      wanted.add(key)
      const there = running.get(key)
      if (there !== undefined) return there
      await stopUnwanted()
      const server = await start(size, store, options)
      if (server !== undefined) running.set(key, server)
      return server
    },
    others(cores = 'one') {
      let servers = others.get(cores)
      if (servers === undefined) others.set(cores, (servers = openOthers(cores)))
      return servers
    },
    etcd: () => (ownEtcd ??= openEtcd()),
    release: () => wanted.clear(),
    async stop() {
      wanted.clear()
      await stopUnwanted()
    },
    async [Symbol.asyncDispose]() {
      await bench.stop()
      await stack.disposeAsync()
    },
  }
  return bench
}
