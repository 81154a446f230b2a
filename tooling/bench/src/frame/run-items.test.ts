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
const progress = createProgress(1, { write: () => true } as unknown as NodeJS.WriteStream)
const options = { rounds: 1, progress, print: () => {} }

function itemOf(name: string, more: Partial<Item> = {}): Item {
  const side = { name: 'keelson', measure: async () => ({ value: 1 }) }
  return { name, title: name, unit: 'requests/s', open: async () => ({ sides: [side] }), ...more }
}

function reports(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-bench-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

test('what takes long is measured in parts, each goes on where the last one ended', async () => {
  const directory = reports()
  const items = ['a/1', 'a/2', 'a/3'].map((name) => itemOf(name, { only: 'full' }))
  const left = items.map(({ name }) => name)
  let report = ReportFile.create(directory, { revision: 'r', seconds: 2, rounds: 1, left })
  // Less than one of them is thought to take: a part is at least one item.
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
  expect(report.report).toMatchObject({ seconds: 2, rounds: 1, items: left.map((name) => ({ name })) })
})

test('one that fails is left, and does not keep others from being measured', async () => {
  const report = ReportFile.create(reports(), { revision: 'r', seconds: 1, rounds: 1, left: ['a/1', 'a/2'] })
  const broken = itemOf('a/1', { open: () => Promise.reject(new Error('broken')) })
  expect(await runItems([broken, itemOf('a/2')], bench, report, options)).toBe(1)
  expect(report.report).toMatchObject({ left: ['a/1'], items: [{ name: 'a/2' }] })
})
