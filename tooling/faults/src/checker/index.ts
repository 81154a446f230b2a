export { checkHistory } from './check-history.ts'
export type { CheckResult } from './check-history.ts'
export type {
  Call,
  CallRecord,
  History,
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
  WatchSegment,
  Write,
} from './history.ts'
