import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface IdleMemoryOptions {
  /** Returns the memory of the process in bytes. */
  readonly readMemory: () => number
  /** Returns the fraction of time in which the process was busy since the last call, from 0 to 1. */
  readonly measureBusyShare: () => number
  readonly collect: () => void
}

const busyUtilization = 0.05
const idleSamples = 3
const minimumGrowth = 48 * 1024 * 1024

/**
 * Creates a function that collects garbage if the process is idle. Call it every few seconds. V8 collects only while code allocates, so an
 * idle process would otherwise keep the memory of its last load.
 */
export function createIdleMemory({ readMemory, measureBusyShare, collect }: IdleMemoryOptions): () => void {
  let idle = 0
  let lowest = readMemory()
  return () => {
    idle = measureBusyShare() < busyUtilization ? idle + 1 : 0
    if (idle < idleSamples) return
    idle = 0
    const now = readMemory()
    if (now - lowest <= minimumGrowth) {
      lowest = Math.min(lowest, now)
      return
    }
    collect()
    // The remaining memory is in use, so garbage is collected again only after the memory has grown.
    lowest = readMemory()
  }
}

const intervalMs = 5000

/** Periodically collects garbage of this process when it is idle, until the process ends. */
export function watchIdleMemory(): void {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options: object) => void
  let last = performance.eventLoopUtilization()
  const sample = createIdleMemory({
    readMemory: () => process.memoryUsage.rss(),
    measureBusyShare: () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    // Runs an ordinary major collection, which keeps most compiled code. A last-resort collection would drop all of it, and the server
    // would then be as slow as after a start.
    collect: () => gc({ type: 'major' }),
  })
  setInterval(sample, intervalMs).unref()
}
