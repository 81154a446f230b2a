import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Item } from './item.ts'
import type { OpenBench } from './open-bench.ts'
import { createProgress } from './progress.ts'
import { ReportFile } from './report.ts'
import { runItems } from './run-items.ts'

const bench = { seconds: 1, release() {} } as unknown as OpenBench
const progress = createProgress({ write: () => true } as unknown as NodeJS.WriteStream)
const once = { withBar: 1, without: 1 }
const five = { withBar: 5, without: 5 }
const options = { rounds: once, progress, print: () => {} }

function createItem(name: string, overrides: Partial<Item> = {}): Item {
  const side = { name: 'keelson', measure: async () => ({ value: 1 }) }
  return { name, title: name, unit: 'requests/s', open: async () => ({ sides: [side] }), ...overrides }
}

function createReportsDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-bench-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

test('splits a long run into parts that continue where the last one ended', async () => {
  const directory = createReportsDirectory()
  const items = ['a/1', 'a/2', 'a/3'].map((name) => createItem(name, { only: 'full' }))
  const remaining = items.map(({ name }) => name)
  let report = ReportFile.create(directory, { revision: 'r', seconds: 2, rounds: once, left: remaining })
  // The time limit is shorter than any item, so each part measures exactly one item.
  for (const after of [['a/2', 'a/3'], ['a/3'], []]) {
    await runItems(
      items.filter(({ name }) => report.report.left.includes(name)),
      bench,
      report,
      { ...options, minutes: 1 },
    )
    expect(report.report.left).toEqual(after)
    if (after.length > 0) report = ReportFile.unfinished(directory)!
  }
  expect(ReportFile.unfinished(directory)).toBeUndefined()
  expect(report.report).toMatchObject({ seconds: 2, rounds: once, items: remaining.map((name) => ({ name })) })
})

test('keeps a failed item in the list and measures the others', async () => {
  const report = ReportFile.create(createReportsDirectory(), { revision: 'r', seconds: 1, rounds: once, left: ['a/1', 'a/2'] })
  const broken = createItem('a/1', { open: () => Promise.reject(new Error('broken')) })
  expect(await runItems([broken, createItem('a/2')], bench, report, options)).toBe(1)
  expect(report.report).toMatchObject({ left: ['a/1'], items: [{ name: 'a/2' }] })
})

test('repeats an item that misses its bar after all others, with twice the rounds', async () => {
  const measured: string[] = []
  const createItemSlowAtFirst = (name: string, rates: readonly number[]): Item => {
    const remainingRates = [...rates]
    const measure = async (): Promise<{ readonly value: number }> => {
      measured.push(name)
      return { value: remainingRates.shift()! }
    }
    return createItem(name, {
      bar: { type: 'least', value: 10 },
      rounds: 2,
      open: async () => ({ sides: [{ name: 'keelson', warmUp: async () => undefined, measure }] }),
    })
  }
  const items = [
    createItemSlowAtFirst('a/1', [8, 8, 10, 12, 14, 8]),
    createItemSlowAtFirst('a/2', [10, 10]),
    createItemSlowAtFirst('a/3', [1, 1, 2, 2, 2, 2, 3, 3, 3, 3]),
  ]
  const directory = createReportsDirectory()
  const report = ReportFile.create(directory, { revision: 'r', seconds: 1, rounds: five, left: items.map(({ name }) => name) })
  await runItems(items, bench, report, { ...options, rounds: five })
  expect(measured.join(' ')).toBe('a/1 a/1 a/2 a/2 a/3 a/3 a/1 a/1 a/1 a/1 a/3 a/3 a/3 a/3 a/3 a/3 a/3 a/3')
  expect(report.report.left).toEqual([])
  expect(
    report.report.items.map(({ name, verdict, before }) => [name, verdict?.reached, verdict?.met, before?.map(({ reached }) => reached)]),
  ).toEqual([
    ['a/1', 11, true, [8]],
    ['a/2', 10, true, undefined],
    ['a/3', 3, false, [1, 2]],
  ])
})

test('keeps an item in the list until its repetition is done, even in another part', async () => {
  const directory = createReportsDirectory()
  const report = ReportFile.create(directory, { revision: 'r', seconds: 1, rounds: once, left: ['a/1', 'a/2'] })
  const items = [createItem('a/1', { only: 'full', bar: { type: 'least', value: 10 } }), createItem('a/2', { only: 'full' })]
  await runItems(items.slice(0, 1), bench, report, { ...options, minutes: 1 })
  expect(report.report.left).toEqual(['a/2', 'a/1'])
  const resumed = ReportFile.unfinished(directory)!
  await runItems(items.toReversed(), bench, resumed, options)
  expect(resumed.report).toMatchObject({ left: [], items: [{ name: 'a/1', before: [{ met: false }, { met: false }] }, { name: 'a/2' }] })
})
