export { Backoff } from './backoff.ts'
export type { BackoffOptions } from './backoff.ts'
export type {
  DeletableResource,
  Informer,
  InformerEvent,
  LoopbackClient,
  LoopbackListOptions,
  LoopbackResource,
  LoopbackWatchOptions,
  LoopbackWritten,
} from './client.ts'
export { createInformer } from './create-informer.ts'
export type { InformerOptions } from './create-informer.ts'
export { createLoopbackClient } from './create-loopback-client.ts'
export type { LoopbackClientBuilder, LoopbackClientOptions } from './create-loopback-client.ts'
export { followResource } from './follow-resource.ts'
export type { FollowOptions, FollowSink, ObjectChange } from './follow-resource.ts'
export { loopbackContext, loopbackUser } from './request.ts'
export type { LoopbackRequest } from './request.ts'
export { createSharedInformers } from './shared-informers.ts'
export type { SharedInformers } from './shared-informers.ts'
