import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded, openMemory, type EmbeddedBackend } from '../src/index.ts'

/**
 * Measures the time and memory of concurrent writes, of reads, and of opening a store. Run with `node
 * packages/backend-embedded/bench/store.bench.ts`.
 */
const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const bytes = 3000
const range = { start: '/registry/', end: '/registry0' }
const printLine = (name: string, rate: number, unit: string): void =>
  console.log(`${name.padEnd(44)} ${Math.round(rate).toLocaleString('en')} ${unit}`)
const measureMegabytes = (): number => process.memoryUsage().rss / 2 ** 20

async function measurePuts(store: EmbeddedBackend, name: string, inFlight: number): Promise<void> {
  const started = performance.now()
  const end = started + seconds * 1000
  let written = 0
  await Promise.all(
    Array.from({ length: inFlight }, async (_, writer) => {
      for (let i = 0; performance.now() < end; i++) {
        const key = `/registry/pods/default/${inFlight}-${writer}-${i % 1000}`
        await store.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.allocUnsafe(bytes) }] })
        written++
      }
    }),
  )
  printLine(`${name}: put of ${bytes} B, ${inFlight} in flight`, (written / (performance.now() - started)) * 1000, 'per second')
}

async function reads(store: EmbeddedBackend): Promise<void> {
  const keys = Array.from(store.takeSnapshot().scan(range), (entry) => entry.key)
  const gets = 500_000
  let started = performance.now()
  let foundKeys = 0
  for (let i = 0; i < gets; i++) if ((await store.get(keys[(i * 7919) % keys.length]!)).entry) foundKeys++
  printLine('get', (foundKeys / (performance.now() - started)) * 1000, 'per second')
  started = performance.now()
  for (let i = 0; i < gets; i++) if (store.takeSnapshot().get(keys[(i * 7919) % keys.length]!)) foundKeys++
  printLine('get from a snapshot', (gets / (performance.now() - started)) * 1000, 'per second')
  started = performance.now()
  let scanned = 0
  for (let round = 0; round < 10; round++) for (const entry of store.takeSnapshot().scan(range)) if (entry.key !== '') scanned++
  printLine('scan', (scanned / (performance.now() - started)) * 1000, 'entries per second')
  started = performance.now()
  const forks = Array.from({ length: 1000 }, () => store.fork())
  printLine(`fork of ${keys.length} entries`, ((performance.now() - started) / forks.length) * 1000, 'µs')
}

console.log(`load ${loadavg()[0]!.toFixed(2)}, node ${process.version}`)
const memory = openMemory()
await measurePuts(memory, 'memory', 32)
await reads(memory)
await memory[Symbol.asyncDispose]()

const dataDir = mkdtempSync(join(tmpdir(), 'keelson-bench-'))
try {
  let started = performance.now()
  let store = await openEmbedded({ dataDir })
  printLine('open, empty', performance.now() - started, 'ms')
  for (const inFlight of [1, 32, 64, 256]) await measurePuts(store, 'durable', inFlight)
  await store[Symbol.asyncDispose]()
  started = performance.now()
  store = await openEmbedded({ dataDir })
  printLine(`open, ${store.takeSnapshot().count(range)} entries`, performance.now() - started, 'ms')
  printLine('resident', measureMegabytes(), 'MB')
  await store[Symbol.asyncDispose]()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
