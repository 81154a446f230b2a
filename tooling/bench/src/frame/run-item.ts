import type { Bench } from './bench.ts'
import type { Figure, Item, Latency, Rounds, Side } from './item.ts'
import { bareSide, judge } from './judge.ts'
import type { Verdict } from './judge.ts'
import { middleOf } from './middle.ts'
import type { WarmUp } from './warm-up.ts'

export interface ItemResult extends Pick<Item, 'name' | 'title' | 'unit' | 'bar' | 'cold'> {
  /** Ours first. */
  readonly sides: readonly SideResult[]
  readonly verdict?: Verdict
  /** Of the times before, where it had to be measured again. */
  readonly before?: readonly Verdict[]
  /** Seconds that it took to measure all this. */
  readonly took: number
}

export interface SideResult {
  readonly name: string
  /** In the order of the rounds: the same place in another side was measured beside it. */
  readonly rounds: readonly Figure[]
  readonly latency?: Latency
  /** Before the first round, where that was needed. */
  readonly warmUp?: WarmUp
}

export interface RunOptions {
  readonly rounds: Rounds
  /** So many times the rounds, of what is measured in more than one. Default: 1. */
  readonly times?: number
  /** The last side is warmed up and measured first. */
  readonly lastFirst?: boolean
  /** Profiles are left beside this, one more measurement is made for them. */
  readonly profile?: string | undefined
  readonly onRound?: ((round: number, rounds: number) => void) | undefined
}

/** Of what a closed loop reached: a load that the server can carry, so that what is seen is its latency and not a queue that grows. */
const latencyShare = 0.6
/** A hundredth of what comes in less is too few. */
const latencySeconds = 1

/** All sides in turns. Undefined when the item cannot be measured here. */
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
  const warmUps = await warmedUp(order, bench.seconds, count)
  const figures = await inTurns(order, bench.seconds, count, onRound)
  const results: SideResult[] = []
  for (const side of sides) {
    const measured = figures.get(side)!
    const latency = side.name === bareSide ? undefined : await side.latency?.(rateOf(measured), Math.max(latencySeconds, bench.seconds))
    const warmUp = warmUps.get(side)
    results.push({
      name: side.name,
      rounds: measured,
      ...(latency !== undefined && { latency }),
      ...(warmUp !== undefined && { warmUp }),
    })
  }
  if (profile !== undefined && sides[0]?.profile !== undefined) {
    await using _ = await sides[0].profile(profile)
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

/** Not counted: the first of anything is slower. Where there is one round only, one is all that there is time for. */
async function warmedUp(sides: readonly Side[], seconds: number, rounds: number): Promise<ReadonlyMap<Side, WarmUp>> {
  const done = new Map<Side, WarmUp>()
  if (rounds === 1) return done
  for (const side of sides) {
    if (side.warmUp === undefined) await side.measure(Math.min(1, seconds / 2))
    const warmUp = await side.warmUp?.()
    if (warmUp !== undefined) done.set(side, warmUp)
  }
  return done
}

async function inTurns(
  sides: readonly Side[],
  seconds: number,
  rounds: number,
  onRound: RunOptions['onRound'],
): Promise<ReadonlyMap<Side, readonly Figure[]>> {
  const figures = new Map<Side, Figure[]>(sides.map((side) => [side, []]))
  for (let round = 0; round < rounds; round++) {
    onRound?.(round + 1, rounds)
    // In each round the other way: a machine that slows down or speeds up favours none.
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) figures.get(side)!.push(await side.measure(seconds))
  }
  return figures
}

function rateOf(rounds: readonly Figure[]): number {
  return Math.max(1, middleOf(rounds.map(({ value }) => value)) * latencyShare)
}
