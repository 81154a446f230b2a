import type { Session } from 'node:inspector/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { sendBytes } from '@keelson/exchange'
import type { Exchange } from '@keelson/exchange'
import { withExchange } from '@keelson/http-installer'
import type { InstallerEnv } from '@keelson/http-installer'
import type { Hono } from 'hono'
import { createPlainError, sendPlain } from '../plain-answer.ts'
import type { Profile } from './encode-pprof.ts'

const index = `/debug/pprof/

profile: what the processor is busy with for ?seconds=30
heap: what was allocated in ?seconds=10 and is still held

For go tool pprof; with ?format=runtime as a .cpuprofile or .heapprofile, for Chrome's and VS Code's.
`
const maxSeconds = 300

/** A profile in the format of V8, and a function that converts it to pprof samples. */
interface TakenProfile {
  readonly runtime: unknown
  readonly collectProfile: () => Promise<Pick<Profile, 'types' | 'period' | 'samples'>>
}

/**
 * Serves profiles at kube-apiserver's paths and in its format. Takes one profile at a time, because profiling slows the process down. Loads
 * the profiler when it is first used.
 */
export function installProfiling(app: Hono<InstallerEnv>): void {
  let isProfiling = false
  const createExclusiveHandler = (name: string, take: (exchange: Exchange, session: Session) => Promise<TakenProfile>) =>
    withExchange(async (exchange) => {
      if (isProfiling) return sendPlain(exchange, createPlainError(500, 'Could not enable profiling: profiling already in use'))
      isProfiling = true
      let session: Session | undefined
      try {
        const inspector = await import('node:inspector/promises')
        session = new inspector.Session()
        session.connect()
        const timeNanoseconds = BigInt(Date.now()) * 1_000_000n
        const startMs = performance.now()
        const takenProfile = await take(exchange, session)
        if (exchange.query.get('format') === 'runtime') {
          return sendPlain(exchange, { status: 200, type: 'application/json', body: JSON.stringify(takenProfile.runtime) })
        }
        const { encodePprof } = await import('./encode-pprof.ts')
        const durationNanoseconds = (performance.now() - startMs) * 1e6
        const profile = encodePprof({ ...(await takenProfile.collectProfile()), timeNanoseconds, durationNanoseconds })
        const headers = { 'content-type': 'application/octet-stream', 'content-disposition': `attachment; filename="${name}"` }
        return sendBytes(exchange, 200, { ...headers, 'x-content-type-options': 'nosniff' }, await promisify(gzip)(profile))
      } finally {
        session?.disconnect()
        isProfiling = false
      }
    })
  app.get(
    '/debug/pprof',
    withExchange((exchange) => sendBytes(exchange, 302, { location: '/debug/pprof/' }, '')),
  )
  app.get(
    '/debug/pprof/',
    withExchange((exchange) => sendPlain(exchange, { status: 200, type: 'text/plain; charset=utf-8', body: index })),
  )
  app.get('/debug/pprof/profile', createExclusiveHandler('profile', takeCpu))
  app.get('/debug/pprof/heap', createExclusiveHandler('heap', takeHeap))
}

async function takeCpu(exchange: Exchange, session: Session): Promise<TakenProfile> {
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  await waitForSeconds(exchange, 30)
  const { profile } = await session.post('Profiler.stop')
  return { runtime: profile, collectProfile: async () => (await import('./runtime-profiles.ts')).convertCpuProfile(profile) }
}

async function takeHeap(exchange: Exchange, session: Session): Promise<TakenProfile> {
  const { heapInterval, convertHeapProfile } = await import('./runtime-profiles.ts')
  await session.post('HeapProfiler.startSampling', { samplingInterval: heapInterval })
  await waitForSeconds(exchange, 10)
  const { profile } = await session.post('HeapProfiler.stopSampling')
  return { runtime: profile, collectProfile: async () => convertHeapProfile(profile) }
}

/** Waits for the time that the request asks for, or until the client disconnects. */
async function waitForSeconds(exchange: Exchange, defaultSeconds: number): Promise<void> {
  const requested = Number(exchange.query.get('seconds') ?? defaultSeconds)
  const seconds = Number.isFinite(requested) && requested > 0 ? Math.min(requested, maxSeconds) : defaultSeconds
  await wait(seconds * 1000, undefined, { signal: exchange.signal })
}
