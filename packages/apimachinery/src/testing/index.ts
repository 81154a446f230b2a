export { createManualClock, settle } from './manual-clock.ts'
export type { ManualClock } from './manual-clock.ts'
export { fourfold, processorTime } from './processor-time.ts'
