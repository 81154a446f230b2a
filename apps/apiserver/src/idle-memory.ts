import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface IdleMemoryOptions {
  /** Bytes of the process. */
  readonly memory: () => number
  /** Which part of the time since the last call something was done, from 0 to 1. */
  readonly busy: () => number
  readonly collect: () => void
}

const busyUtilization = 0.05
const idleSamples = 3
const minimumGrowth = 48 * 1024 * 1024

/**
 * Collects garbage when the process is idle. The engine collects only when code allocates, so an idle process would keep the memory of its last burst.
 * The returned function has to be called every few seconds.
 */
export function createIdleMemory({ memory, busy, collect }: IdleMemoryOptions): () => void {
  let idle = 0
  let least = memory()
  return () => {
    idle = busy() < busyUtilization ? idle + 1 : 0
    if (idle < idleSamples) return
    idle = 0
    const now = memory()
    if (now - least <= minimumGrowth) {
      least = Math.min(least, now)
      return
    }
    collect()
    // The rest is in use: collect again only after it has grown.
    least = memory()
  }
}

const intervalMs = 5000

/** Does so for this process, until it ends. */
export function watchIdleMemory(): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: object) => void
  let last = performance.eventLoopUtilization()
  const sample = createIdleMemory({
    memory: () => process.memoryUsage.rss(),
    busy: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    // An ordinary major collection keeps most compiled code; a last-resort one drops all of it and makes the server as slow as after a start.
    collect: () => gc({ type: 'major' }),
  })
  setInterval(sample, intervalMs).unref()
}
