export { ConfigController } from './configuration/config-controller.ts'
export type { ConfigControllerOptions } from './configuration/config-controller.ts'
export type { FlowTarget } from './configuration/flow-target.ts'
export { keepBuiltInObjects, startKeepingObjects } from './configuration/keep-objects.ts'
export type { KeepOptions } from './configuration/keep-objects.ts'
export type { FlowHash } from './fair-queuing/dealer.ts'
export type { QueueDump, QueueSetDump, RequestDump } from './fair-queuing/dump.ts'
export { oneSeat } from './fair-queuing/fair-request.ts'
export type { FairRequest, RequestDetails, WorkEstimate } from './fair-queuing/fair-request.ts'
export { createFlow, createFlowSchemaCounters } from './fair-queuing/flow.ts'
export type { Flow, FlowSchemaCounters, RejectionReason } from './fair-queuing/flow.ts'
export { createQueueSet } from './fair-queuing/queue-set.ts'
export type {
  QueueSet,
  QueueSetCounts,
  QueueSetObserver,
  QueueSetOptions,
  Rejection,
  VirtualTimeReadings,
} from './fair-queuing/queue-set.ts'
export { validateQueuing } from './fair-queuing/queuing.ts'
export type { Queuing } from './fair-queuing/queuing.ts'
export type { DemandStatistics, SeatDemand } from './fair-queuing/seat-demand.ts'
export type { DumpedTable, DumpOptions } from './debug/dump-tables.ts'
export { FlowControl } from './flow-control.ts'
export type { ControlledRequest, FlowControlOptions } from './flow-control.ts'
export type { FindObjectStats } from './width/estimate-work.ts'
export { staleStats } from './width/list-seats.ts'
export type { ObjectStats } from './width/list-seats.ts'
