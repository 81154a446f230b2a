import {
  barText,
  cellsOf,
  coldCells,
  coldColumns,
  columns,
  markNotes,
  percent,
  reachedText,
  roundsText,
  verdictText,
  warmUpText,
} from '../frame/figure-text.ts'
import { bareSide, compare } from '../frame/judge.ts'
import { middleFigure } from '../frame/middle.ts'
import type { Report } from '../frame/report.ts'
import type { ItemResult } from '../frame/run-item.ts'
import type { GrowthPoint, ShareRow } from './plot.ts'

const groups: Readonly<Record<string, string>> = {
  start: 'Start',
  idle: 'Idle',
  http: 'Requests',
  watch: 'Watches',
  mixed: 'Mixed load',
  latency: 'Small requests beside large ones',
  memory: 'Memory',
  growth: 'Growth',
  storage: 'Stores, at the level of bytes',
  registry: 'The write path, in process',
}

export const sharesImage = 'performance/shares.svg'
export const growthImage = 'performance/growth.svg'

/** The page in markdown; what a person has to say of the figures goes in unchanged. */
export function performancePage(report: Report, notes: string): string {
  const { cpu, memoryGiB, node, time, revision, rounds, seconds, items, loadAverage } = report
  const warmed = items.some(({ sides }) => sides.some(({ warmUp }) => warmUp !== undefined))
  return `${[
    '# Performance',
    `Made by \`npm run bench -- --publish\` (see [tooling/bench](../tooling/bench/README.md)) from \`bench/results/published.json\`: change neither this page nor its images by hand.`,
    `Measured on ${time.slice(0, 10)} at ${time.slice(11, 16)} UTC, of revision ${revision}, on ${cpu}, ${memoryGiB} GiB, node ${node}; the load average at the beginning was ${loadAverage.map((load) => load.toFixed(1)).join(', ')}. The client runs on the same machine, over TLS; where there are two cores the server has one of them and the client the other. Each figure is the middle of ${roundsText(rounds)} of ${seconds} s, in which all that stand beside each other took turns${warmed ? ', after each was warmed by the same load until its answers became no cheaper' : ''}.`,
    '## What is wanted, and what is reached',
    wantedTable(items),
    ...(shareRows(items).length === 0 ? [] : [`![Shares of bare](${sharesImage})`]),
    ...(growthPoints(items).length === 0 ? [] : [`![Growth](${growthImage})`]),
    ...coldSection(items),
    notes.trim(),
    '# All figures',
    legend,
    ...Object.entries(groups).flatMap(([group, title]) =>
      groupSections(
        title,
        items.filter(({ name }) => name.startsWith(`${group}/`)),
      ),
    ),
  ].join('\n\n')}\n`
}

const legend = [
  '- **bare** is the limit on this machine: a plain handler that sends the same bytes from one buffer; for writes one that parses the body, puts it durably into LMDB and answers it; for watches one that writes the same bytes to as many sockets; for stores the bare driver.',
  `- A rate with a mark is not the server's limit: ${markNotes}. Shares with a * are then by processor time of one answer, which other load on the machine disturbs less.`,
  '- **open** latencies are of requests that come at 60 % of the rate whether or not others were answered, from when they were due.',
  '- **CPU s/1000** are processor seconds of the server, and beside it of the client, for 1,000 answers (events, operations). **bytes/req** are allocated on the heap of the server for one.',
].join('\n')

function groupSections(title: string, items: readonly ItemResult[]): readonly string[] {
  return items.length === 0 ? [] : [`## ${title}`, ...items.map(itemSection)]
}

function wantedTable(items: readonly ItemResult[]): string {
  const rows = items.flatMap(({ title, unit, bar, verdict }) =>
    bar === undefined || verdict === undefined
      ? []
      : [`| ${title} | ${barText(unit, bar)} | ${reachedText(unit, bar, verdict)} | ${verdict.met ? 'yes' : '**no**'} |`],
  )
  return ['| what | wanted | reached | met |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

/** The engine compiles a server while it runs; users meet it before it is done. */
function coldSection(items: readonly ItemResult[]): readonly string[] {
  const rows = items.flatMap((item) => coldCells(item).map(([side, cells]) => `| ${item.title} | ${side} | ${cells.join(' | ')} |`))
  if (rows.length === 0) return []
  const head = `| | | ${coldColumns.join(' | ')} |\n| --- | --- | ${coldColumns.map(() => '---:').join(' | ')} |`
  return ['## A server that has just been started', [head, ...rows].join('\n')]
}

function itemSection(item: ItemResult): string {
  const rows = item.sides.map((side) => [side.name, ...cellsOf(item, side)])
  const shown = ['', ...columns].map((_, i) => i).filter((i) => i === 0 || rows.some((row) => row[i] !== ''))
  const line = (cells: readonly string[]): string => `| ${shown.map((i) => cells[i]).join(' | ')} |`
  const others = item.sides.slice(1).filter(({ name }) => name !== bareSide && item.bar?.type !== 'ratio')
  const verdict = verdictText(item)
  const warmUp = warmUpText(item.sides)
  const beside = others.map((side) => {
    const { reached, by } = compare(item.unit, item.sides[0]!.rounds, side.rounds)
    return `Beside ${side.name}: ${percent(reached)}${by === 'value' ? '' : ' by processor time'}.`
  })
  return [
    `### ${item.title}`,
    [`\`${item.name}\``, ...(verdict === undefined ? [] : [verdict]), ...beside, ...(warmUp === undefined ? [] : [warmUp])].join(' — '),
    [line(['', ...columns]), `| ${shown.map((i) => (i === 0 ? '---' : '---:')).join(' | ')} |`, ...rows.map(line)].join('\n'),
  ].join('\n\n')
}

export function shareRows(items: readonly ItemResult[]): readonly ShareRow[] {
  return items.flatMap(({ title, unit, bar, sides }) => {
    const bare = sides.find(({ name }) => name === bareSide)
    if (bare === undefined) return []
    const { reached } = compare(unit, sides[0]!.rounds, bare.rounds)
    return [{ title, share: reached, least: bar?.type === 'share' ? bar.least : undefined }]
  })
}

export function growthPoints(items: readonly ItemResult[]): readonly GrowthPoint[] {
  return items
    .filter(({ name }) => name.startsWith('growth/'))
    .flatMap(({ name, sides }) => {
      const values = sides.map((side) => middleFigure(side.rounds).value)
      return sides.map((side, i) => ({
        what: name.slice('growth/'.length),
        objects: Number(side.name.replaceAll(',', '')),
        times: Number((values[i]! / values[0]!).toPrecision(3)),
      }))
    })
}
