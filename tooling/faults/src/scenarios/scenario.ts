import type { CheckResult, Violation } from '../checker/index.ts'

export interface ScenarioContext {
  readonly rounds: number
  /** An empty directory of its own. */
  readonly directory: string
  readonly random: () => number
  readonly note: (text: string) => void
}

export interface ScenarioResult {
  rounds: number
  operations: number
  events: number
  violations: Violation[]
  /** What else was measured. */
  notes: string[]
}

export interface Scenario {
  readonly name: string
  readonly about: string
  /** Of the long form; it is cut into as many parts as it takes for each to stay below eight minutes. */
  readonly rounds: number
  readonly roundsPerPart: number
  /** Of the short form; 0 leaves it out. */
  readonly shortRounds: number
  /** Why it cannot run here. */
  unavailable?(): Promise<string | undefined>
  run(context: ScenarioContext): Promise<ScenarioResult>
}

export function newResult(): ScenarioResult {
  return { rounds: 0, operations: 0, events: 0, violations: [], notes: [] }
}

export function addCheck(result: ScenarioResult, check: CheckResult, where: string): void {
  result.operations += check.operations
  result.events += check.events
  for (const { rule, message } of check.violations) result.violations.push({ rule, message: `${where}: ${message}` })
}

/** Something that is wrong and is no matter of a history. */
export function fail(result: ScenarioResult, message: string): void {
  result.violations.push({ rule: 'nothing-from-nowhere', message })
}
