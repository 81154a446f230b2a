import { ChangeLog } from './change-log.ts'
import type { History, Report, Rule, Violation } from './history.ts'
import { groupOperationsByKey } from './key-operations.ts'
import { createInitialState } from './key-model.ts'
import { checkLinearizable } from './linearizable.ts'
import { checkLostRaces, checkRevisionsExplained, checkRevisionsNeverDecrease, checkSnapshotReads, checkSurvival } from './store-rules.ts'
import { checkWatch } from './watch-rules.ts'

export interface CheckResult {
  readonly operations: number
  readonly events: number
  /** Number of violations per rule. Only the first violations have details. */
  readonly counts: ReadonlyMap<Rule, number>
  readonly violations: readonly Violation[]
}

const maxReportedPerRule = 5

/** Checks whether a correct store could have produced the history. Returns the violated rules. */
export function checkHistory(history: History): CheckResult {
  const counts = new Map<Rule, number>()
  const violations: Violation[] = []
  const report: Report = (rule, message) => {
    const count = (counts.get(rule) ?? 0) + 1
    counts.set(rule, count)
    if (count <= maxReportedPerRule) violations.push({ rule, message })
  }
  const log = new ChangeLog(history, report)
  checkRevisionsNeverDecrease(history, report)
  checkSurvival(history, report)
  checkLostRaces(history, report)
  checkRevisionsExplained(history, log, report)
  checkSnapshotReads(history, log, report)
  for (const [key, operations] of groupOperationsByKey(history.calls, log)) {
    const verdict = checkLinearizable(operations, createInitialState(history.start))
    if (verdict.type === 'no') report('linearizable', `${key}: no order explains ${JSON.stringify(verdict.stuck.step)}`)
    else if (verdict.type === 'undecided') report('linearizable', `${key}: the search exceeded its limit`)
  }
  let events = 0
  for (const watch of history.watches) {
    checkWatch(watch, log, report)
    for (const segment of watch.segments) for (const item of segment.items) events += item.type === 'changes' ? item.changes.length : 1
  }
  return { operations: history.calls.length, events, counts, violations }
}
