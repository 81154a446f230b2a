export type { ResourceTypes } from '@keelson/admission'
export { defineKind } from '@keelson/apiextensions/kinds'
export type { CustomKind, DefinitionOptions, KindOptions, KindRule } from '@keelson/apiextensions/kinds'
export { isApiError } from '@keelson/apimachinery'
export type { KubeList, KubeObject } from '@keelson/apimachinery'
export type { ClusterSnapshot, KeelsonCluster } from './cluster.ts'
export type { ClusterClient, Identity, ResourceOptions, TypedResourceName } from './cluster-client.ts'
export type { ClockOptions, ClusterClock } from './cluster-clock.ts'
export { containsObject } from './contains-object.ts'
export type { ClusterOptions } from './cluster-options.ts'
export type { Fault, Faults } from './faults.ts'
export type { KubeConfigOfClientNode } from './kube-config.ts'
export type { Manifests } from './manifests.ts'
export { matchers } from './matchers.ts'
export type { KeelsonMatchers } from './matchers.ts'
export type {
  ApplyOptions,
  ListOptions,
  ObjectToWrite,
  PatchOptions,
  ResourceClient,
  SelectOptions,
  WatchOptions,
  WriteOptions,
} from './resource-client.ts'
export type { RandomFaultOptions } from './random-faults.ts'
export type { ClusterRequest, LoggedRequest, LoggedRequestMatch, RequestLog, RequestMatch } from './request-log.ts'
export type { RecordedRequest, ReplayedRequest, RequestRecording } from './request-recording.ts'
export type { ObjectReference } from './served-resources.ts'
export { normalizeVolatileFields, snapshotSerializer } from './snapshot-serializer.ts'
export { startKeelson } from './start-keelson.ts'
export { WaitTimeoutError } from './wait-conditions.ts'
export type { StatusCondition, WaitCondition, WaitOptions } from './wait-conditions.ts'
export type { WatchEvent } from './watch-lines.ts'
export type { PodOutcome, PodRule } from './workloads/run-pods.ts'
export type { WorkloadsOptions } from './workloads/start-workloads.ts'
