import type { CacheFigure } from './cache/cache-item.ts'
import type { Measurement } from './measure.ts'
import { middleOf } from './storage/storage-verdict.ts'

/** One round: ours and bare, neighbours in time, so that other load on the machine hits both. */
export interface Pair {
  readonly ours: Measurement
  readonly bare: Measurement
}

export async function inTurns(
  rounds: number,
  run: { readonly ours: () => Promise<Measurement>; readonly bare: () => Promise<Measurement> },
): Promise<readonly Pair[]> {
  // Not measured: the first of anything is slower.
  await run.ours()
  await run.bare()
  const pairs: Pair[] = []
  for (let round = 0; round < rounds; round++) {
    // In each round the other one first: a machine that slows down or speeds up favours neither.
    if (round % 2 === 0) {
      const ours = await run.ours()
      pairs.push({ ours, bare: await run.bare() })
    } else {
      const bare = await run.bare()
      pairs.push({ ours: await run.ours(), bare })
    }
  }
  return pairs
}

/** How much of bare ours reaches, by the rounds in which both servers were the busy side; where there is none, by processor time. */
export function shareFigure(pairs: readonly Pair[], { least, unit }: { readonly least: number; readonly unit: string }): CacheFigure {
  const counted = pairs.filter(({ ours, bare }) => serverWasBusy(ours) && serverWasBusy(bare))
  const byCpu = cpuShare(pairs)
  const shares = (counted.length > 0 ? counted : pairs).map(({ ours, bare }) => ours.perSecond / bare.perSecond)
  const lines = [
    unit,
    ...pairLines(pairs),
    `rounds that count: ${counted.length} of ${pairs.length} (${shares.map(percent).join(', ')}); by processor time ${percent(byCpu)}`,
  ]
  const wanted = `at least ${percent(least)} of bare`
  // Where the client cannot take as much as bare has to give, rates say more of the client: what each answer costs the server is left to go by.
  if (counted.length === 0) {
    return { lines, wanted, reached: `${percent(byCpu)} by processor time, for the client was the busy side`, met: byCpu >= least }
  }
  const share = middleOf(shares)
  return { lines, wanted, reached: percent(share), met: share >= least }
}

export function pairLines(pairs: readonly Pair[]): readonly string[] {
  return [
    row(
      'ours',
      pairs.map(({ ours }) => ours),
    ),
    row(
      'bare',
      pairs.map(({ bare }) => bare),
    ),
  ]
}

/** What one request costs bare, as a share of what it costs us. */
export function cpuShare(pairs: readonly Pair[]): number {
  return middleOf(pairs.map(({ ours, bare }) => (bare.serverCpu ?? NaN) / (ours.serverCpu ?? NaN)))
}

const busy = 0.9

export function serverWasBusy({ serverCores = 0, clientCores }: Measurement): boolean {
  return serverCores >= busy && clientCores < busy
}

function row(name: string, figures: readonly Measurement[]): string {
  const middle = (pick: (figure: Measurement) => number | undefined, digits: number): string =>
    middleOf(figures.map((figure) => pick(figure) ?? NaN)).toFixed(digits)
  const perSecond = middleOf(figures.map((figure) => figure.perSecond))
  return [
    `  ${name}  ${perSecond.toFixed(perSecond < 100 ? 2 : 0).padStart(8)} /s`,
    `${middle((f) => f.megabytesPerSecond, 0).padStart(5)} MB/s`,
    `p50 ${middle((f) => f.p50, 2)} ms  p99 ${middle((f) => f.p99, 2)} ms`,
    `cpu ${middle((f) => f.serverCpu, 3)} ms each`,
    `cores ${middle((f) => f.serverCores, 2)} client ${middle((f) => f.clientCores, 2)}`,
    `RssAnon ${middle((f) => f.rssAnonMiB, 0)} MiB, peak RSS ${middle((f) => f.peakRssMiB, 0)} MiB`,
  ].join('  ')
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}
