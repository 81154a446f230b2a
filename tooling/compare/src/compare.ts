import { readServedResources } from '@keelson/tooling-e2e/served-resources'
import type { ServedResource } from '@keelson/tooling-e2e/served-resources'
import { randomBytes } from 'node:crypto'
import type { Case } from './cases/case.ts'
import { generateCase } from './cases/generate.ts'
import { findSubjects } from './cases/subjects.ts'
import { playCase } from './play/play-case.ts'
import type { Pair, Played } from './play/play-case.ts'
import { openNamespace } from './play/run-namespace.ts'
import type { Server } from './play/server.ts'
import { groupDifferences, groupName } from './report/group.ts'
import type { Found, Group } from './report/group.ts'
import { minimize } from './report/minimize.ts'
import type { SavedCase } from './report/save-cases.ts'
import { scenarios } from './scenarios/index.ts'
import type { Scenario } from './scenarios/scenario.ts'

export interface CompareOptions {
  /** Seed of the first case. Each further case adds 1. */
  readonly seed: number
  /** Number of requests to each server. A few more can be sent, because the last case is always completed. */
  readonly steps: number
  /** Prefixes of case ids, like `create/Pod`. Only cases with such an id are played. An empty list selects all cases. */
  readonly only: readonly string[]
  readonly scenarios?: readonly Scenario[]
  /** Maximum number of attempts to minimize a case. 0 disables minimizing. */
  readonly trials?: number
  /** Callback that receives the result of each case. */
  played?(one: Case, result: Played): void
}

export interface Comparison {
  readonly cases: number
  readonly steps: number
  readonly groups: readonly ComparedGroup[]
  /** Ids of cases that differed in the first play, but not in the second. */
  readonly flaky: readonly string[]
}

export interface ComparedGroup extends Group, SavedCase {}

/**
 * Plays random cases on two servers and compares the responses, until `steps` requests were sent. A difference counts only if a second play
 * of the case has it too.
 */
export async function compare(reference: Server, candidate: Server, options: CompareOptions): Promise<Comparison> {
  const pair: Pair = { reference, candidate, namespace: `compare-${randomBytes(4).toString('hex')}` }
  const subjects = await listSubjects(reference, candidate)
  const isSelected = (id: string): boolean => options.only.length === 0 || options.only.some((start) => id.startsWith(start))
  await using _referenceNamespace = await openNamespace(reference, pair.namespace)
  await using _candidateNamespace = await openNamespace(candidate, pair.namespace)

  const found: Found[] = []
  const flaky: string[] = []
  let cases = 0
  let steps = 0
  for (let seed = options.seed, passed = 0; steps < options.steps; seed++) {
    const generated = generateCase(seed, { scenarios: options.scenarios ?? scenarios, subjects, wanted: isSelected })
    if (generated === undefined) {
      if (++passed > 100_000) throw new Error(`no case id starts with ${options.only.join(' or ')}`)
      continue
    }
    passed = 0
    cases++
    const playedCase = await playCase(pair, generated)
    steps += playedCase.answers.length
    options.played?.(generated, playedCase)
    if (playedCase.difference === undefined) continue
    const again = await playCase(pair, generated)
    if (again.difference?.where !== playedCase.difference.where)
      flaky.push(`${generated.id} (${[playedCase, again].map(({ difference }) => difference?.where ?? 'nothing').join(', then ')})`)
    else found.push({ case: generated, difference: playedCase.difference })
  }
  const groups: ComparedGroup[] = []
  for (const group of groupDifferences(found)) groups.push({ ...group, ...(await findSmallest(pair, group, options.trials ?? 0)) })
  return { cases, steps, groups, flaky }
}

async function findSmallest(pair: Pair, { name, found }: Group, trials: number): Promise<SavedCase> {
  const { case: first, difference } = found[0]!
  const cut = { ...first, steps: first.steps.slice(0, difference.stepIndex + 1) }
  const differsStill = async (smaller: Case): Promise<boolean> => {
    const playedSmaller = await playCase(pair, smaller)
    return playedSmaller.difference !== undefined && groupName({ case: smaller, difference: playedSmaller.difference }) === name
  }
  const smallestCase = await minimize(cut, differsStill, trials)
  return { smallestCase, playedCase: await playCase(pair, smallestCase), namespace: pair.namespace }
}

/** Lists the kinds that both servers serve, with examples of their objects. */
export async function listSubjects(reference: Server, candidate: Server): ReturnType<typeof findSubjects> {
  return findSubjects(await listServedByBoth(reference, candidate))
}

/**
 * Lists the resources that both servers serve. Uses the order of Keelson's discovery, so that a seed gives the same case on every machine.
 */
async function listServedByBoth(reference: Server, candidate: Server): Promise<ServedResource[]> {
  const [referenceResources, candidateResources] = await Promise.all(
    [reference, candidate].map((server) => readServedResources((path) => server.get(path))),
  )
  const formatKey = ({ group, version, plural }: ServedResource): string => `${group}/${version}/${plural}`
  const referenceByKey = new Map(referenceResources!.map((resource) => [formatKey(resource), resource]))
  return candidateResources!.filter((resource) => referenceByKey.has(formatKey(resource)))
}
