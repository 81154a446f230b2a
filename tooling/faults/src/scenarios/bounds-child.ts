// Runs one measurement of memory or disk space. A separate process, so that other measurements do not affect its memory.
import { readFileSync } from 'node:fs'
import { openEmbedded, type EmbeddedBackend } from '@keelson/backend-embedded'
import { allKeys, formatKey } from '../load/clients.ts'

export interface Bounds {
  readonly milliseconds: number
  readonly rssAnon: readonly number[]
  readonly size: number
  readonly count: number
}

const [scenario, dataDir, amount] = process.argv.slice(2) as [string, string, string]
const inFlight = 64

async function write(backend: EmbeddedBackend, count: number, keys: number, bytes: number, every: (done: number) => void): Promise<void> {
  let next = 0
  const createValue = (i: number): Buffer => {
    const out = Buffer.allocUnsafeSlow(bytes)
    out.fill(i % 251)
    out.writeDoubleBE(i, 0)
    return out
  }
  const writeValues = async (): Promise<void> => {
    while (next < count) {
      const i = next++
      await backend.commit({ compare: [], operations: [{ type: 'put', key: formatKey(i % keys), value: createValue(i) }] })
      every(i + 1)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, writeValues))
}

function readRssAnon(): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))![1]) * 1024
}

const samples: number[] = []
const began = performance.now()
const backend = await openEmbedded({ dataDir })
let milliseconds = performance.now() - began
if (scenario === 'update') {
  const count = Number(amount)
  const step = Math.floor(count / 40)
  await write(backend, count, 1000, 3000, (done) => {
    if (done % step === 0) samples.push(readRssAnon())
  })
  milliseconds = performance.now() - began
} else if (scenario === 'fill') await write(backend, Number(amount), Number(amount), 8000, () => undefined)
else if (scenario === 'fork') {
  const forks: EmbeddedBackend[] = []
  milliseconds = Infinity
  for (let i = 0; i < 5; i++) {
    const start = performance.now()
    const fork = backend.fork()
    await fork.commit({ compare: [], operations: [{ type: 'put', key: formatKey(i), value: Buffer.from('x') }] })
    milliseconds = Math.min(milliseconds, performance.now() - start)
    forks.push(fork)
  }
} else if (scenario === 'die') process.kill(process.pid, 'SIGKILL')
const { count } = await backend.list(allKeys, { countOnly: true })
const size = await backend.measureSize()
await backend[Symbol.asyncDispose]()
process.stdout.write(JSON.stringify({ milliseconds, rssAnon: samples, size, count } satisfies Bounds))
