import type { Figure } from '../frame/item.ts'
import { computeMedian } from '../frame/middle.ts'
import type { Step } from './steps.ts'

/** Number of runs per batch. A batch takes several ticks of the processor time clock. */
const batch = 1000
const warmUpSeconds = 1

interface Batch {
  /** Elapsed time of the batch in milliseconds. */
  readonly elapsed: number
  /** Processor time of this thread in microseconds. */
  readonly cpu: number
}

/**
 * Measures the processor time of a step in microseconds, without `prepare`. Measures batches of runs, because one run is shorter than the
 * resolution of the clock.
 */
export function measureStep(step: Step, seconds: number): Figure {
  runBatches(step, warmUpSeconds)
  const batches = runBatches(step, seconds)
  const times = batches.map(({ elapsed }) => elapsed / batch).toSorted((a, b) => a - b)
  const cpu = batches.reduce((sum, one) => sum + one.cpu, 0) / (batches.length * batch)
  return { value: cpu, p50: computeMedian(times), p99: times[Math.floor(times.length * 0.99)]!, serverCpu: cpu / 1000 }
}

function runBatches(step: Step, seconds: number): Batch[] {
  const batches: Batch[] = []
  for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
    const prepared = Array.from({ length: batch }, () => step.prepare())
    const cpuBefore = process.threadCpuUsage()
    const began = performance.now()
    for (const one of prepared) step.run(one)
    const elapsed = performance.now() - began
    const { user, system } = process.threadCpuUsage(cpuBefore)
    batches.push({ elapsed, cpu: user + system })
  }
  return batches
}
