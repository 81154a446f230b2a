import { expect, it } from 'vitest'
import { LayerLatencies } from './layer-latencies.ts'

it('adds up the times of a layer, except of steps that run at the same time', () => {
  const latencies = new LayerLatencies()
  for (const milliseconds of [3, 5, 4]) {
    latencies.add('mutating-webhook', milliseconds)
    latencies.add('validating-webhook', milliseconds)
  }
  expect([...latencies]).toEqual([
    ['mutating-webhook', 12],
    ['validating-webhook', 5],
  ])
  expect(latencies.total).toBe(17)
})
