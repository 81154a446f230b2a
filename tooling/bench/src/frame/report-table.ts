import { formatMachine } from '../measured-on.ts'
import { formatCells, formatColdCells, coldColumns, columns, markNotes, formatRounds, formatVerdict, formatWarmUp } from './figure-text.ts'
import type { Report } from './report.ts'
import type { ItemResult } from './run-item.ts'

/** Formats a report for a terminal. Figures are medians of the rounds. Spreads are the minimum and the maximum of the rounds. */
export function formatReportTable(report: Report): string {
  const missed = report.items.filter(({ verdict }) => verdict?.met === false)
  const met = report.items.filter(({ verdict }) => verdict?.met === true)
  return [
    `${formatMachine(report)}; ${report.revision}; ${formatRounds(report.rounds)} of ${report.seconds} s`,
    ...report.items.map(formatItemTable),
    '',
    `${markNotes}; *: by processor time. "open": latencies since the scheduled time of a request, at 60 % of the rate. Processor seconds of server and client are per 1,000 responses, heap bytes per response.`,
    `${met.length} bars met, ${missed.length} missed${missed.map(({ name }) => `\n  ${name}`).join('')}`,
    ...(report.left.length === 0 ? [] : [`${report.left.length} items are left: continue with --resume`]),
  ].join('\n')
}

export function formatItemTable(item: ItemResult): string {
  const rows = item.sides.map((side) => [side.name, ...formatCells(item, side)])
  const allRows = [['', ...columns], ...rows]
  // Indexes of the columns that have a value in at least one row. The table leaves out the others.
  const shown = allRows[0]!.map((_, i) => i).filter((i) => i === 0 || rows.some((row) => row[i] !== ''))
  const widths = shown.map((i) => Math.max(...allRows.map((row) => row[i]!.length)))
  const lines = allRows.map((row) =>
    shown.map((i, at) => (i === 0 ? row[i]!.padEnd(widths[at]!) : row[i]!.padStart(widths[at]!))).join('  '),
  )
  const verdict = formatVerdict(item)
  const warmUp = formatWarmUp(item.sides)
  const cold = formatColdCells(item).map(
    ([side, cells]) => `  ${side}, freshly started: ${coldColumns.map((column, i) => `${column} ${cells[i]!}`).join(', ')}`,
  )
  return [
    '',
    `${item.title} (${item.name}, ${item.took} s)`,
    ...lines,
    ...(warmUp === undefined ? [] : [`  ${warmUp}`]),
    ...cold,
    ...(verdict === undefined ? [] : [`  ${verdict}`]),
  ].join('\n')
}
