import type { Figure } from '../frame/item.ts'
import type { Load } from './storage-job.ts'

const warmUpSeconds = 0.5

/**
 * Measures a load after a warm-up. Keeps `inFlight` operations of the load pending. The processor time includes all threads of this
 * process, but not the etcd process.
 */
export async function measureLoad(load: Load, seconds: number): Promise<Figure> {
  let n = 0
  await keepGoing(load, warmUpSeconds, () => n++, undefined)
  const times: number[] = []
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  await keepGoing(load, seconds, () => n++, times)
  const elapsed = (performance.now() - began) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  times.sort((a, b) => a - b)
  const locateAt = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))]!
  const cpuSeconds = (cpu.user + cpu.system) / 1e6
  return { value: times.length / elapsed, p50: locateAt(0.5), p99: locateAt(0.99), serverCpu: (cpuSeconds / times.length) * 1000 }
}

async function keepGoing(load: Load, seconds: number, next: () => number, times: number[] | undefined): Promise<void> {
  const end = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: load.inFlight }, async () => {
      for (let before = performance.now(); before < end;) {
        await load.runOnce(next())
        const after = performance.now()
        times?.push(after - before)
        before = after
      }
    }),
  )
}
