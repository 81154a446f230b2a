import type { Scenario } from '../scenarios/scenario.ts'
import type { Case } from './case.ts'
import { harmless } from './harmless.ts'
import { Random } from './random.ts'
import type { Subject } from './subjects.ts'

/** Those with the most rules are asked more often. */
const weights: Readonly<Record<string, number>> = {
  Pod: 8,
  Service: 4,
  Deployment: 2,
  StatefulSet: 2,
  Job: 2,
  CronJob: 2,
  PersistentVolume: 2,
}

export interface Choice {
  readonly scenarios: readonly Scenario[]
  readonly subjects: readonly Subject[]
  /** Of ids: `scenario/kind/seed`. */
  readonly wanted: (id: string) => boolean
}

/** The case of a seed: always the same for the same scenarios and subjects. Undefined when it is not wanted. */
export function generateCase(seed: number, { scenarios, subjects, wanted }: Choice): Case | undefined {
  const random = new Random(seed)
  const name = random.weighted(Object.fromEntries(scenarios.map(({ name, weight }) => [name, weight])))
  const scenario = scenarios.find((one) => one.name === name)!
  const suitable = subjects.filter((subject) => scenario.suits(subject))
  const at = Number(random.weighted(Object.fromEntries(suitable.map(({ kind }, index) => [`${index}`, weights[kind] ?? 1]))))
  const subject = suitable[at]!
  const id = `${scenario.name}/${subject.kind}/${seed}`
  if (!wanted(id)) return undefined
  return { id, scenario: scenario.name, kind: subject.kind, seed, steps: scenario.steps(random, subject).map(harmless) }
}
