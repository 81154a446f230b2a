import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface IdleMemoryOptions {
  /** Bytes of the process. */
  readonly memory: () => number
  /** Which part of the time since the last call something was done, from 0 to 1. */
  readonly busy: () => number
  readonly collect: () => void
}

const busyFrom = 0.05
const idleLooks = 3
const worthIt = 48 * 1024 * 1024

/**
 * Gives memory back when nothing goes on. An engine that is not asked for memory does not look for what it no longer needs, so after a burst it would
 * keep what the burst took for as long as it is idle. Call it every few seconds.
 */
export function createIdleMemory({ memory, busy, collect }: IdleMemoryOptions): () => void {
  let idle = 0
  let least = memory()
  return () => {
    idle = busy() < busyFrom ? idle + 1 : 0
    if (idle < idleLooks) return
    idle = 0
    const now = memory()
    if (now - least <= worthIt) {
      least = Math.min(least, now)
      return
    }
    collect()
    // What is still there is needed: looked for again only when more has come.
    least = memory()
  }
}

const intervalMs = 5000

/** Of this process, until it ends. */
export function watchIdleMemory(): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: object) => void
  let last = performance.eventLoopUtilization()
  const look = createIdleMemory({
    memory: () => process.memoryUsage.rss(),
    busy: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    // One that leaves most compiled code alone: a last resort would take all of it, and what comes next would be as slow as after a start.
    collect: () => gc({ type: 'major' }),
  })
  setInterval(look, intervalMs).unref()
}
