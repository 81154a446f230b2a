import { expect, test } from 'vitest'
import type { StorageFigure } from '../storage/storage-job.ts'
import { registryItems } from './registry-items.ts'
import { judgeRegistry } from './registry-report.ts'
import { steps } from './steps.ts'
import { writeLoads } from './write-loads.ts'

const figure = (perSecond: number, cpu: number): StorageFigure => ({ perSecond, cpu, p50: 1, p99: 1 })

test('the middle round decides, by rate or by time', () => {
  const figures = [figure(30, 3), figure(10, 1), figure(20, 2)]
  const rate = { name: 'r', title: '', unit: 'rate', bar: 20 } as const
  const time = { name: 't', title: '', unit: 'time', bar: 2 } as const
  expect(judgeRegistry({ item: rate, figures })).toEqual({ rounds: [10, 20, 30], middle: 20, met: true })
  expect(judgeRegistry({ item: { ...rate, bar: 21 }, figures }).met).toBe(false)
  expect(judgeRegistry({ item: time, figures })).toEqual({ rounds: [1, 2, 3], middle: 2, met: true })
  expect(judgeRegistry({ item: { ...time, bar: 1.9 }, figures }).met).toBe(false)
  expect(judgeRegistry({ item: { name: 'n', title: '', unit: 'time' }, figures }).met).toBeUndefined()
})

test('every item has its load or its step, and every step runs', () => {
  const known = steps()
  expect(registryItems.map(({ name }) => name).toSorted()).toEqual([...Object.keys(writeLoads), ...Object.keys(known)].toSorted())
  for (const { prepare, run } of Object.values(known)) run(prepare())
})
