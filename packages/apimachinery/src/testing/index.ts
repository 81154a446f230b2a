export { createManualClock, settle } from './manual-clock.ts'
export type { ManualClock } from './manual-clock.ts'
export { fourfold, measureProcessorTime } from './processor-time.ts'
