import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readReport, writeReport } from '../frame/report.ts'
import type { Report } from '../frame/report.ts'
import { growthImage, listGrowthPoints, renderPerformancePage, listShareRows, sharesImage } from './performance-page.ts'
import { drawPlot, createGrowthPlot, createSharePlot } from './plot.ts'

const published = 'bench/results/published.json'

/** Stores a report as the published report and renders docs/performance.md from it. */
export async function publish(root: string, report: Report): Promise<void> {
  writeReport(path.join(root, published), report)
  await renderPublishedPage(root)
}

/** Renders docs/performance.md and its images from the published report. */
export async function renderPublishedPage(root: string): Promise<void> {
  const report = readReport(path.join(root, published))
  const docs = path.join(root, 'docs')
  mkdirSync(path.join(docs, path.dirname(sharesImage)), { recursive: true })
  writeFileSync(path.join(docs, 'performance.md'), renderPage(root, report))
  const shares = listShareRows(report.items)
  if (shares.length > 0) writeFileSync(path.join(docs, sharesImage), await drawPlot(createSharePlot(shares)))
  const points = listGrowthPoints(report.items)
  if (points.length > 0) writeFileSync(path.join(docs, growthImage), await drawPlot(createGrowthPlot(points)))
}

export function readPublishedPage(root: string): string {
  return renderPage(root, readReport(path.join(root, published)))
}

function renderPage(root: string, report: Report): string {
  return renderPerformancePage(report, readFileSync(path.join(root, 'tooling/bench/notes.md'), 'utf8'))
}
