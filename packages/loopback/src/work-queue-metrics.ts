import { createCounter, createHistogram, createSampledVector } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry, Value } from '@keelson/apimachinery/metrics'

/** Histogram buckets: powers of ten from 10 ns. Some values have the same rounding errors as in kube-controller-manager. */
const buckets = [1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 0.001, 0.01, 0.1, 1, 10]

/** Metrics of work queues with kube-controller-manager's names, so that existing dashboards and alerts work. */
export interface WorkQueueMetrics {
  /** Registers a queue. `state` is called at each scrape until the queue is closed. */
  createQueueMetrics(name: string, state: () => WorkQueueState): QueueMetrics
  /** Returns the names of the queues that have keys to process now, without keys that are delayed. */
  listBusyQueues(): readonly string[]
}

export interface WorkQueueState {
  readonly waiting: number
  /** Time in seconds for which each active key has been processed so far. */
  readonly working: readonly number[]
}

export interface QueueMetrics {
  countAdd(): void
  countRetry(): void
  /** Records that a key was taken for processing after waiting for `seconds`. */
  recordStart(seconds: number): void
  recordEnd(seconds: number): void
  close(): void
}

export function createWorkQueueMetrics(registry: MetricsRegistry): WorkQueueMetrics {
  const states = new Map<string, () => WorkQueueState>()
  const registerSampled = (name: string, help: string, read: (state: WorkQueueState) => number): void => {
    registry.register(
      createSampledVector('gauge', `workqueue_${name}`, `[BETA] ${help}`, () =>
        Array.from(states, ([queue, state]) => [{ name: queue }, read(state())] as const),
      ),
    )
  }
  registerSampled('depth', 'Keys that wait in the work queue.', ({ waiting }) => waiting)
  const adds = registry.register(createCounter('workqueue_adds_total', '[BETA] Keys that were added to the work queue.'))
  const waitDurations = registry.register(
    createHistogram('workqueue_queue_duration_seconds', '[BETA] How long keys waited in the work queue, in seconds.', buckets),
  )
  const workDurations = registry.register(
    createHistogram('workqueue_work_duration_seconds', '[BETA] How long the work on a key took, in seconds.', buckets),
  )
  registerSampled('unfinished_work_seconds', 'For how long all that are worked on have been worked on together.', ({ working }) =>
    working.reduce((sum, seconds) => sum + seconds, 0),
  )
  registerSampled('longest_running_processor_seconds', 'For how long the one has been worked on that has been it longest.', ({ working }) =>
    Math.max(0, ...working),
  )
  const retries = registry.register(createCounter('workqueue_retries_total', '[BETA] Keys that were to be looked at again later.'))

  return {
    createQueueMetrics(name, state) {
      states.set(name, state)
      const added = adds.with({ name })
      const retried = retries.with({ name })
      const waitDuration = waitDurations.with({ name })
      const work = workDurations.with({ name })
      return {
        countAdd: () => increase(added),
        countRetry: () => increase(retried),
        recordStart: (seconds) => waitDuration.observe(seconds),
        recordEnd: (seconds) => work.observe(seconds),
        close: () => void states.delete(name),
      }
    },
    listBusyQueues: () => {
      const busy: string[] = []
      for (const [name, read] of states) {
        const { waiting, working } = read()
        if (waiting > 0 || working.length > 0) busy.push(name)
      }
      return busy
    },
  }
}

function increase(value: Value): void {
  value.value++
}
