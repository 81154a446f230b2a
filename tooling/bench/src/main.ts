import { existsSync } from 'node:fs'
import path from 'node:path'
import { buildRevision, getCurrentRevision } from './base-revision.ts'
import { formatHelp, parseBenchOptions } from './bench-options.ts'
import type { BenchOptions } from './bench-options.ts'
import { baseSide, compareItems } from './frame/compare-items.ts'
import { openBench } from './frame/open-bench.ts'
import { createProgress } from './frame/progress.ts'
import { formatReportTable } from './frame/report-table.ts'
import { ReportFile } from './frame/report.ts'
import { runItems } from './frame/run-items.ts'
import { allItems } from './items/all-items.ts'
import { Scratch } from './server-under-test.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const results = path.join(root, 'bench/results')

let options: BenchOptions | 'help'
try {
  options = parseBenchOptions(process.argv.slice(2), allItems)
} catch (error) {
  console.error((error as Error).message)
  process.exit(2)
}
if (options === 'help') console.log(formatHelp(allItems))
else if (options.document) await renderDocument()
else process.exitCode = options.base === undefined ? await measure(options) : await compare(options, options.base)

async function measure(selectItems: BenchOptions): Promise<number> {
  const { minutes, etcd } = selectItems
  const report =
    (selectItems.resume ? ReportFile.unfinished(results) : undefined) ??
    ReportFile.create(results, {
      revision: getCurrentRevision(root),
      seconds: selectItems.seconds,
      rounds: selectItems.rounds,
      left: selectItems.items.map(({ name }) => name),
    })
  const { seconds, rounds } = report.report
  const items = report.report.left.flatMap((left) => allItems.filter(({ name }) => name === left))
  const other = selectItems.other && { ...selectItems.other, [Symbol.asyncDispose]: () => Promise.resolve() }
  using scratch = new Scratch()
  await using bench = openBench({ scratch, program: locateProgram(), seconds, etcd, other })
  const progress = createProgress()
  const profiles = selectItems.profile ? path.join(root, 'bench/profiles') : undefined
  const failed = await runItems(items, bench, report, { rounds, minutes, profiles, progress, print: console.log })
  console.log(`\n${formatReportTable(report.report)}\n\nwritten to ${path.relative(process.cwd(), report.file)}`)
  if (selectItems.publish) {
    const { publish } = await import('./document/publish.ts')
    await publish(root, report.report)
  }
  return failed === 0 ? 0 : 1
}

async function compare({ items, seconds, rounds, processes, etcd }: BenchOptions, revision: string): Promise<number> {
  const base = buildRevision(root, revision)
  using scratch = new Scratch()
  await using bench = openBench({ scratch, program: locateProgram(), seconds, etcd, base: { name: baseSide, program: base } })
  const regressed = await compareItems(items, bench, { rounds, processes, progress: createProgress(), print: console.log })
  console.log(regressed.length === 0 ? `no item is worse than ${revision}` : `worse than ${revision}: ${regressed.join(', ')}`)
  return regressed.length === 0 ? 0 : 1
}

async function renderDocument(): Promise<void> {
  const { renderPublishedPage } = await import('./document/publish.ts')
  await renderPublishedPage(root)
}

function locateProgram(): string {
  const file = process.env['KEELSON_PROGRAM'] ?? path.join(root, 'apps/apiserver/dist/main.js')
  if (!existsSync(file)) throw new Error(`${file} does not exist: build it first`)
  return file
}
