import { middleOf } from '../storage/storage-verdict.ts'
import type { StorageFigure } from '../storage/storage-job.ts'
import type { Step } from './steps.ts'

const batch = 200
const warmUpSeconds = 1

/**
 * In batches, for a step is shorter than a look at the clock is exact. What `prepare` takes is not counted, and time is that of this thread
 * on a processor: a batch is short enough that other load on the machine would show in the whole of it.
 */
export function measureStep(step: Step, seconds: number): StorageFigure {
  runBatches(step, warmUpSeconds)
  const times = runBatches(step, seconds).map((milliseconds) => milliseconds / batch)
  const p50 = middleOf(times)
  const p99 = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)]!
  return { perSecond: 1000 / p50, p50, p99, cpu: p50 * 1000 }
}

function runBatches(step: Step, seconds: number): number[] {
  const times: number[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    const prepared = Array.from({ length: batch }, () => step.prepare())
    const began = process.threadCpuUsage()
    for (const one of prepared) step.run(one)
    const { user, system } = process.threadCpuUsage(began)
    times.push((user + system) / 1000)
  }
  return times
}
