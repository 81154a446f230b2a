import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { createManualClock } from '@keelson/apimachinery/testing'
import { expect, it } from 'vitest'
import { createWorkQueueMetrics } from './work-queue-metrics.ts'
import { WorkQueue } from './work-queue.ts'

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

it('reports waiting and active keys until the queue is closed', async () => {
  const clock = createManualClock(0)
  const registry = createMetricsRegistry()
  const ends: (() => void)[] = []
  const metrics = createWorkQueueMetrics(registry)
  const queue = new WorkQueue({
    name: 'things',
    metrics,
    clock,
    workers: 1,
    process: () => new Promise((resolve) => ends.push(resolve)),
  })
  const readValue = (name: string): number => {
    const line = registry
      .text()
      .split('\n')
      .find((each) => each.startsWith(`workqueue_${name}{name="things"} `))
    return Number(line?.split(' ')[1])
  }
  const readValues = (...names: string[]): number[] => names.map(readValue)

  for (const key of ['a', 'b', 'b']) queue.add(key)
  expect(metrics.listBusyQueues()).toEqual(['things'])
  await settle()
  queue.add('a')
  queue.add('a')
  clock.advance(3000)
  expect(readValues('adds_total', 'depth', 'queue_duration_seconds_count', 'unfinished_work_seconds')).toEqual([3, 2, 1, 3])
  ends.shift()!()
  await settle()
  expect(readValues('work_duration_seconds_count', 'work_duration_seconds_sum', 'queue_duration_seconds_sum', 'depth')).toEqual([
    1, 3, 3, 1,
  ])
  clock.advance(1000)
  expect(readValues('longest_running_processor_seconds', 'retries_total')).toEqual([1, 0])
  expect(metrics.listBusyQueues()).toEqual(['things'])
  queue.addAfter('c', 500)
  expect(readValues('retries_total', 'adds_total', 'depth')).toEqual([1, 3, 1])
  clock.advance(500)
  expect(readValues('adds_total', 'depth')).toEqual([4, 2])

  ends.shift()!()
  await queue[Symbol.asyncDispose]()
  expect(readValue('depth')).toBeNaN()
  expect(readValue('adds_total')).toBe(4)
})

it('does not count a queue as busy whose keys are delayed or processed', async () => {
  const metrics = createWorkQueueMetrics(createMetricsRegistry())
  const clock = createManualClock(0)
  const queue = new WorkQueue({ name: 'things', metrics, clock, process: async () => {} })
  queue.addAfter('a', 500)
  expect(metrics.listBusyQueues()).toEqual([])
  clock.advance(500)
  expect(metrics.listBusyQueues()).toEqual(['things'])
  await settle()
  expect(metrics.listBusyQueues()).toEqual([])
  await queue[Symbol.asyncDispose]()
})
