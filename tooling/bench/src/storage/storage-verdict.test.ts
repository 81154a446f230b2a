import { expect, test } from 'vitest'
import { loads } from './loads.ts'
import { storageItems } from './storage-items.ts'
import type { StorageFigure } from './storage-job.ts'
import { judge, middleOf } from './storage-verdict.ts'

const figure = (perSecond: number, p50 = 1): StorageFigure => ({ perSecond, p50, p99: p50, cpu: 1 })
const [shared] = storageItems
const timed = storageItems.find(({ bar }) => bar.type === 'time')!

test('a share is taken round by round, and the middle one decides', () => {
  const ours = [60, 10, 90].map((n) => figure(n))
  const bare = [100, 100, 300].map((n) => figure(n))
  const item = { ...shared!, bar: { type: 'share', least: 0.3 } } as const
  expect(judge({ item, ours, bare })).toEqual({ rounds: [0.1, 0.3, 0.6], middle: 0.3, met: true })
  expect(judge({ item: { ...item, bar: { type: 'share', least: 0.31 } }, ours, bare }).met).toBe(false)
})

test('a time is met by what takes no longer', () => {
  const bare = [figure(1), figure(1)]
  expect(judge({ item: timed, ours: [figure(1, 1), figure(1, 2)], bare })).toEqual({ rounds: [1, 2], middle: 1.5, met: true })
  expect(judge({ item: timed, ours: [figure(1, 3), figure(1, 2)], bare }).met).toBe(false)
})

test('the middle of an odd and of an even number', () => {
  expect(middleOf([3, 1, 2])).toBe(2)
  expect(middleOf([4, 1, 2, 3])).toBe(2.5)
})

test('every item’s loads are there', () => {
  for (const item of storageItems) for (const name of [item.ours, item.bare]) expect(Object.keys(loads)).toContain(name)
})
