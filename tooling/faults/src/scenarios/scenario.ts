import type { CheckResult, Violation } from '../checker/index.ts'

export interface ScenarioContext {
  readonly rounds: number
  /** An empty directory for this run. */
  readonly directory: string
  readonly random: () => number
  readonly note: (text: string) => void
}

export interface ScenarioResult {
  rounds: number
  operations: number
  events: number
  violations: Violation[]
  /** Lines about additional measurements. */
  notes: string[]
}

export interface Scenario {
  readonly name: string
  readonly about: string
  /** Number of rounds in a full run, without `--short`. A full run is split into parts that take less than eight minutes each. */
  readonly rounds: number
  readonly roundsPerPart: number
  /** Number of rounds of the short form. 0 skips the scenario. */
  readonly shortRounds: number
  /** Returns the reason why the scenario cannot run on this machine, if there is one. */
  explainUnavailable?(): Promise<string | undefined>
  run(context: ScenarioContext): Promise<ScenarioResult>
}

export function newResult(): ScenarioResult {
  return { rounds: 0, operations: 0, events: 0, violations: [], notes: [] }
}

export function addCheck(result: ScenarioResult, check: CheckResult, location: string): void {
  result.operations += check.operations
  result.events += check.events
  for (const { rule, message } of check.violations) result.violations.push({ rule, message: `${location}: ${message}` })
}

/** Adds a failure that is not a violation of a rule for histories. */
export function fail(result: ScenarioResult, message: string): void {
  result.violations.push({ rule: 'nothing-from-nowhere', message })
}
