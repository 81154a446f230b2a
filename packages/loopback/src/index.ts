export { Backoff, followResource } from './follow-resource.ts'
export type { BackoffOptions, FollowOptions, FollowSink, ObjectChange } from './follow-resource.ts'
export type {
  DeletableResource,
  Informer,
  InformerEvent,
  LoopbackClient,
  LoopbackListOptions,
  LoopbackResource,
  LoopbackWatchOptions,
  LoopbackWriteOptions,
  LoopbackWritten,
  ServedKind,
} from './client.ts'
export { createInformer, createSharedInformers } from './informers.ts'
export type { InformerOptions, SharedInformers } from './informers.ts'
export { createLoopbackClient } from './create-loopback-client.ts'
export type { LoopbackClientBuilder, LoopbackClientOptions } from './create-loopback-client.ts'
export { createLoopbackContext, loopbackUser } from './registry-resource.ts'
export type { LoopbackRequest } from './registry-resource.ts'
export { RetryAfter, WorkQueue } from './work-queue.ts'
export type { WorkQueueOptions } from './work-queue.ts'
export { createWorkQueueMetrics } from './work-queue-metrics.ts'
export type { WorkQueueMetrics } from './work-queue-metrics.ts'
