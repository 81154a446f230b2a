import type { Bench } from './bench.ts'
import type { Figure, Item, Latency, Rounds, Side } from './item.ts'
import { bareSide, judge } from './judge.ts'
import type { Verdict } from './judge.ts'
import { computeMedian } from './middle.ts'
import type { WarmUp } from './warm-up.ts'

export interface ItemResult extends Pick<Item, 'name' | 'title' | 'unit' | 'bar' | 'cold'> {
  /** Results of the sides, Keelson first. */
  readonly sides: readonly SideResult[]
  readonly verdict?: Verdict
  /** Verdicts of earlier attempts, if the item was measured several times. */
  readonly before?: readonly Verdict[]
  /** Total duration of the item's measurements in seconds. */
  readonly took: number
}

export interface SideResult {
  readonly name: string
  /** One figure per round. Figures of two sides with the same index were measured at about the same time. */
  readonly rounds: readonly Figure[]
  readonly latency?: Latency
  /** Warm-up of the side, if there was one. */
  readonly warmUp?: WarmUp
}

export interface RunOptions {
  readonly rounds: Rounds
  /** Multiplies the number of rounds, except for items with a single round. Default: 1. */
  readonly times?: number
  /** Whether to warm up and measure the last side first. */
  readonly lastFirst?: boolean
  /** Prefix of the files for profiles. If set, an additional measurement of the first side is profiled. */
  readonly profile?: string | undefined
  readonly onRound?: ((round: number, rounds: number) => void) | undefined
}

/**
 * Rate for measuring latency, as a share of the highest rate. The server can sustain this rate, so the latency does not include a growing
 * queue.
 */
const latencyShare = 0.6
/** Minimum duration in seconds of a latency measurement. A shorter measurement has too few requests to compute p99. */
const latencySeconds = 1

/** Measures all sides of an item in turns. Returns undefined if the item cannot be measured on this machine. */
export async function runItem(
  item: Item,
  bench: Bench,
  { rounds, times = 1, lastFirst = false, profile, onRound }: RunOptions,
): Promise<ItemResult | undefined> {
  const began = performance.now()
  await using stack = new AsyncDisposableStack()
  const opened = await item.open(bench, stack)
  if (opened === undefined) return undefined
  const { sides, bar = item.bar } = opened
  stack.defer(() => sides.forEach((side) => side.close?.()))
  const once = Math.min(bar === undefined ? rounds.without : rounds.withBar, item.rounds ?? Infinity)
  const count = once === 1 ? once : once * times
  const order = lastFirst ? sides.toReversed() : sides
  const warmUps = await warmUpSides(order, bench.seconds, count)
  const figures = await measureInTurns(order, bench.seconds, count, onRound)
  const results: SideResult[] = []
  for (const side of sides) {
    const measured = figures.get(side)!
    const latency =
      side.name === bareSide ? undefined : await side.measureLatency?.(getRate(measured), Math.max(latencySeconds, bench.seconds))
    const warmUp = warmUps.get(side)
    results.push({
      name: side.name,
      rounds: measured,
      ...(latency !== undefined && { latency }),
      ...(warmUp !== undefined && { warmUp }),
    })
  }
  if (profile !== undefined && sides[0]?.startProfile !== undefined) {
    await using _ = await sides[0].startProfile(profile)
    await sides[0].measure(bench.seconds)
  }
  const took = Math.round((performance.now() - began) / 1000)
  const result = {
    name: item.name,
    title: item.title,
    unit: item.unit,
    ...(bar !== undefined && { bar }),
    ...(item.cold === true && { cold: true }),
    sides: results,
    took,
  }
  const verdict = judge(result)
  return { ...result, ...(verdict !== undefined && { verdict }) }
}

/**
 * Warms up the sides. Runs and discards one measurement of each side, because the first one is always slower. Skips this for items with a
 * single round, because their measurements take too long.
 */
async function warmUpSides(sides: readonly Side[], seconds: number, rounds: number): Promise<ReadonlyMap<Side, WarmUp>> {
  const warmUps = new Map<Side, WarmUp>()
  if (rounds === 1) return warmUps
  for (const side of sides) {
    if (side.warmUp === undefined) await side.measure(Math.min(1, seconds / 2))
    const warmUp = await side.warmUp?.()
    if (warmUp !== undefined) warmUps.set(side, warmUp)
  }
  return warmUps
}

async function measureInTurns(
  sides: readonly Side[],
  seconds: number,
  rounds: number,
  onRound: RunOptions['onRound'],
): Promise<ReadonlyMap<Side, readonly Figure[]>> {
  const figures = new Map<Side, Figure[]>(sides.map((side) => [side, []]))
  for (let round = 0; round < rounds; round++) {
    onRound?.(round + 1, rounds)
    // Alternates the order, so that a machine that slows down or speeds up favors no side.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) figures.get(side)!.push(await side.measure(seconds))
  }
  return figures
}

function getRate(rounds: readonly Figure[]): number {
  return Math.max(1, computeMedian(rounds.map(({ value }) => value)) * latencyShare)
}
