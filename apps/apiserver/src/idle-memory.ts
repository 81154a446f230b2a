import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface IdleMemoryOptions {
  /** Returns the bytes of the process. */
  readonly memory: () => number
  /** Returns the fraction of the time since the last call in which the process was busy, from 0 to 1. */
  readonly busy: () => number
  readonly collect: () => void
}

const busyUtilization = 0.05
const idleSamples = 3
const minimumGrowth = 48 * 1024 * 1024

/**
 * Creates a function that collects garbage if the process is idle. Call it every few seconds. The engine collects only while code allocates, so an idle process
 * would keep the memory of its last load.
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
    // The remaining memory is in use, so collect again only after it has grown.
    least = memory()
  }
}

const intervalMs = 5000

/** Collects garbage of this process when it is idle, until it ends. */
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
    // An ordinary major collection keeps most compiled code. A last-resort collection drops all of it, and the server would be as slow as after a start.
    collect: () => gc({ type: 'major' }),
  })
  setInterval(sample, intervalMs).unref()
}
