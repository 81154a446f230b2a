import { servedResources } from '@keelson/tooling-e2e/served-resources'
import type { ServedResource } from '@keelson/tooling-e2e/served-resources'
import { randomBytes } from 'node:crypto'
import type { Case } from './cases/case.ts'
import { generateCase } from './cases/generate.ts'
import { findSubjects } from './cases/subjects.ts'
import { playCase } from './play/play-case.ts'
import type { Pair, Played } from './play/play-case.ts'
import { openNamespace } from './play/run-namespace.ts'
import type { Server } from './play/server.ts'
import { groupFound, groupName } from './report/group.ts'
import type { Found, Group } from './report/group.ts'
import { minimize } from './report/minimize.ts'
import type { SavedCase } from './report/save-cases.ts'
import { scenarios } from './scenarios/index.ts'
import type { Scenario } from './scenarios/scenario.ts'

export interface CompareOptions {
  /** The seed of the first case; the next has the next. */
  readonly seed: number
  /** Number of requests to each server; the last case is completed. */
  readonly steps: number
  /** Beginnings of ids (`create/Pod`); none means all. */
  readonly only: readonly string[]
  readonly scenarios?: readonly Scenario[]
  /** How often a case is played to find a smaller one; 0 leaves it as it is. */
  readonly trials?: number
  /** Told of each case that was played. */
  played?(one: Case, result: Played): void
}

export interface Comparison {
  readonly cases: number
  readonly steps: number
  readonly groups: readonly ComparedGroup[]
  /** Cases that differed, and did not when they were played again. */
  readonly unsteady: readonly string[]
}

export interface ComparedGroup extends Group, SavedCase {}

/** Plays cases on both servers until there were enough steps. A difference is one when it is there a second time. */
export async function compare(original: Server, ours: Server, options: CompareOptions): Promise<Comparison> {
  const pair: Pair = { original, ours, namespace: `compare-${randomBytes(4).toString('hex')}` }
  const subjects = await findSubjects(await servedByBoth(original, ours))
  const wanted = (id: string): boolean => options.only.length === 0 || options.only.some((start) => id.startsWith(start))
  await using _theirs = await openNamespace(original, pair.namespace)
  await using _ours = await openNamespace(ours, pair.namespace)

  const found: Found[] = []
  const unsteady: string[] = []
  let cases = 0
  let steps = 0
  for (let seed = options.seed, passed = 0; steps < options.steps; seed++) {
    const one = generateCase(seed, { scenarios: options.scenarios ?? scenarios, subjects, wanted })
    if (one === undefined) {
      if (++passed > 100_000) throw new Error(`no case is called ${options.only.join(' or ')}`)
      continue
    }
    passed = 0
    cases++
    const played = await playCase(pair, one)
    steps += played.answers.length
    options.played?.(one, played)
    if (played.difference === undefined) continue
    const again = await playCase(pair, one)
    if (again.difference?.where !== played.difference.where)
      unsteady.push(`${one.id} (${[played, again].map(({ difference }) => difference?.where ?? 'nothing').join(', then ')})`)
    else found.push({ case: one, difference: played.difference })
  }
  const groups: ComparedGroup[] = []
  for (const group of groupFound(found)) groups.push({ ...group, ...(await smallestOf(pair, group, options.trials ?? 0)) })
  return { cases, steps, groups, unsteady }
}

async function smallestOf(pair: Pair, { name, found }: Group, trials: number): Promise<SavedCase> {
  const { case: first, difference } = found[0]!
  const cut = { ...first, steps: first.steps.slice(0, difference.stepIndex + 1) }
  const still = async (smaller: Case): Promise<boolean> => {
    const played = await playCase(pair, smaller)
    return played.difference !== undefined && groupName({ case: smaller, difference: played.difference }) === name
  }
  const smallest = await minimize(cut, still, trials)
  return { smallest, played: await playCase(pair, smallest), namespace: pair.namespace }
}

/** In our order, so that a seed means the same wherever both serve the same. */
async function servedByBoth(original: Server, ours: Server): Promise<ServedResource[]> {
  const [theirs, own] = await Promise.all([original, ours].map((server) => servedResources((path) => server.get(path))))
  const key = ({ group, version, plural }: ServedResource): string => `${group}/${version}/${plural}`
  const known = new Map(theirs!.map((resource) => [key(resource), resource]))
  return own!.filter((resource) => known.has(key(resource)))
}
