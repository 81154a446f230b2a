import type { Scenario } from '../scenarios/scenario.ts'
import type { Case } from './case.ts'
import { restrictToRun } from './harmless.ts'
import { Random } from './random.ts'
import type { Subject } from './subjects.ts'

/** Relative frequency of cases by kind. Kinds with many validation rules have a higher frequency. Other kinds have the frequency 1. */
const weights: Readonly<Record<string, number>> = {
  Pod: 8,
  Service: 4,
  Deployment: 2,
  StatefulSet: 2,
  Job: 2,
  CronJob: 2,
  PersistentVolume: 2,
}

/** Scenarios and subjects to generate cases from. */
export interface CaseSources {
  readonly scenarios: readonly Scenario[]
  readonly subjects: readonly Subject[]
  /** Filters cases by id (`scenario/kind/seed`). */
  readonly wanted: (id: string) => boolean
}

/** Generates the case of a seed. The same scenarios and subjects always give the same case. Returns undefined if `wanted` rejects the case. */
export function generateCase(seed: number, { scenarios, subjects, wanted }: CaseSources): Case | undefined {
  const random = new Random(seed)
  const name = random.weighted(Object.fromEntries(scenarios.map(({ name, weight }) => [name, weight])))
  const scenario = scenarios.find((one) => one.name === name)!
  const suitable = subjects.filter((subject) => scenario.suits(subject))
  const at = Number(random.weighted(Object.fromEntries(suitable.map(({ kind }, index) => [`${index}`, weights[kind] ?? 1]))))
  const subject = suitable[at]!
  const id = `${scenario.name}/${subject.kind}/${seed}`
  if (!wanted(id)) return undefined
  return { id, scenario: scenario.name, kind: subject.kind, seed, steps: scenario.steps(random, subject).map(restrictToRun) }
}
