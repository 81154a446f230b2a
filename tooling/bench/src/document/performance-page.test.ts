import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Report } from '../frame/report.ts'
import { listGrowthPoints, renderPerformancePage, listShareRows } from './performance-page.ts'
import { drawPlot, createGrowthPlot, createSharePlot } from './plot.ts'
import { readPublishedPage } from './publish.ts'

const root = path.resolve(import.meta.dirname, '../../../..')
const busyClient = { serverCores: 0.5, clientCores: 1 }
const report: Report = {
  time: '2026-03-04T05:06:07.000Z',
  node: 'v26',
  cpu: '2 × fast',
  memoryGiB: 4,
  loadAverage: [0, 0.5, 1],
  revision: 'abc',
  seconds: 1,
  rounds: { withBar: 2, without: 1 },
  left: [],
  items: [
    {
      name: 'http/get',
      title: 'GET',
      unit: 'requests/s',
      took: 3,
      cold: true,
      bar: { type: 'share', least: 0.5 },
      sides: [
        {
          name: 'keelson',
          warmUp: { seconds: 6, requests: 1200, rates: [100, 300, 400, 400], steadyAfter: { seconds: 3, requests: 800 }, steady: true },
          rounds: [
            { value: 400, serverCpu: 0.2, ...busyClient },
            { value: 420, serverCpu: 0.2, ...busyClient },
          ],
        },
        {
          name: 'bare',
          rounds: [
            { value: 1000, serverCpu: 0.1 },
            { value: 900, serverCpu: 0.1 },
          ],
        },
      ],
      verdict: { reached: 0.5, spread: [0.5, 0.5], by: 'processor time', met: true },
    },
    {
      name: 'growth/GET-1k',
      title: 'growth',
      unit: 'ms',
      took: 3,
      bar: { type: 'ratio', of: '100,000', to: '10,000', maximum: 1.3 },
      sides: [
        { name: '10,000', rounds: [{ value: 1 }] },
        { name: '100,000', rounds: [{ value: 2 }] },
      ],
      verdict: { reached: 2, spread: [2, 2], by: 'value', met: false },
    },
  ],
}

test('shows the machine, the date and missed bars, and marks figures that the client limited', () => {
  const page = renderPerformancePage(report, '## Noted\n\nsomething')
  expect(page).toContain('Measured on 2026-03-04 at 05:06 UTC, of revision abc, on 2 × fast, 4 GiB')
  expect(page).toContain('the median of 2 rounds, or 1 for items without a bar, of 1 s')
  expect(page).toContain('| GET | ≥ 50 % of bare | 50 % by processor time | yes |')
  expect(page).toContain('| growth | ≤ 1.3 × | 2 × | **no** |')
  expect(page).toContain('| keelson | 410 /s c | 400–420 | 50 %* |')
  expect(page).toContain('| GET | keelson | 100 /s | 410 /s | 3 | 800 |')
  expect(page).toContain('warmed: keelson 6 s (1,200 requests)')
  expect(page).toContain('## Noted\n\nsomething\n\n# All figures')
})

test('renders plots as images with the measured values', async () => {
  const shares = await drawPlot(createSharePlot(listShareRows(report.items)))
  expect(shares).toMatch(/^<svg[^]*GET[^]*50 %[^]*<\/svg>$/)
  expect(listGrowthPoints(report.items)).toEqual([
    { what: 'GET-1k', objects: 10_000, times: 1 },
    { what: 'GET-1k', objects: 100_000, times: 2 },
  ])
  expect(await drawPlot(createGrowthPlot(listGrowthPoints(report.items)))).toMatch(/^<svg[^]*100,000[^]*<\/svg>$/)
})

test.skipIf(!existsSync(path.join(root, 'bench/results/published.json')))('docs/performance.md is up to date', () => {
  expect(readFileSync(path.join(root, 'docs/performance.md'), 'utf8')).toBe(readPublishedPage(root))
})
