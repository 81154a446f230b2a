import type { Session } from 'node:inspector/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { InstallerContext, InstallerEnv } from '@keelson/http-installer'
import { parseQuery, parseTarget, requestContextOf } from '@keelson/http-installer'
import type { Hono } from 'hono'
import { plainError, sendPlain } from './plain-answer.ts'

const index = `/debug/pprof/

profile: what the processor is busy with for ?seconds=30, as a .cpuprofile
heap: what was allocated in ?seconds=10 and is still held, as a .heapprofile
`
const maxSeconds = 300

/** The original's paths; what they answer is for the tools of this runtime (Chrome's, VS Code's). One at a time: profiles slow everybody down. */
export function installProfiling(app: Hono<InstallerEnv>): void {
  let busy = false
  const exclusive = (take: (c: InstallerContext, session: Session) => Promise<unknown>) => async (c: InstallerContext) => {
    if (busy) return sendPlain(c, plainError(500, 'Could not enable profiling: profiling already in use'))
    busy = true
    let session: Session | undefined
    try {
      // A start need not wait for it.
      const inspector = await import('node:inspector/promises')
      session = new inspector.Session()
      session.connect()
      return sendPlain(c, { status: 200, type: 'application/json', body: JSON.stringify(await take(c, session)) })
    } finally {
      session?.disconnect()
      busy = false
    }
  }
  for (const path of ['/debug/pprof', '/debug/pprof/']) {
    app.get(path, (c) => sendPlain(c, { status: 200, type: 'text/plain; charset=utf-8', body: index }))
  }
  app.get(
    '/debug/pprof/profile',
    exclusive(async (c, session) => {
      await session.post('Profiler.enable')
      await session.post('Profiler.start')
      await forSeconds(c, 30)
      return (await session.post('Profiler.stop')).profile
    }),
  )
  app.get(
    '/debug/pprof/heap',
    exclusive(async (c, session) => {
      await session.post('HeapProfiler.startSampling')
      await forSeconds(c, 10)
      return (await session.post('HeapProfiler.stopSampling')).profile
    }),
  )
}

/** A client that leaves waits no longer. */
async function forSeconds(c: InstallerContext, usual: number): Promise<void> {
  const asked = Number(parseQuery(parseTarget(c.env.incoming?.url ?? c.req.url).query).get('seconds') ?? usual)
  const seconds = Number.isFinite(asked) && asked > 0 ? Math.min(asked, maxSeconds) : usual
  await wait(seconds * 1000, undefined, { signal: requestContextOf(c).signal })
}
