export { checkHistory } from './check-history.ts'
export type { CheckResult } from './check-history.ts'
export type {
  Call,
  CallRecord,
  Outcome,
  Restart,
  Rule,
  Seen,
  SeenChange,
  Tag,
  Time,
  Violation,
  WatchItem,
  WatchRecord,
  Write,
} from './history.ts'
