export { hasCompaction, hasSizeStatistics, hasSnapshots, requireTransaction } from './backend.ts'
export type {
  Backend,
  BackendSnapshot,
  Change,
  CommitOptions,
  CommitResult,
  Compaction,
  Compare,
  Entry,
  GetResult,
  KeyRange,
  LeaseId,
  Lessor,
  ListOptions,
  ListPage,
  Operation,
  Reader,
  ReadOptions,
  Revision,
  SizeStatistics,
  Snapshots,
  Transaction,
  Watcher,
  WatchMessage,
  WatchOptions,
  Writer,
} from './backend.ts'
export {
  CompactedError,
  FutureRevisionError,
  isBackendError,
  LeaseNotFoundError,
  ReadOnlyError,
  SlowWatcherError,
  StoppedError,
  UnavailableError,
  UnknownOutcomeError,
} from './backend-errors.ts'
export type { BackendErrorName, BackendErrors } from './backend-errors.ts'
export type { LargeMember } from './large-members.ts'
export { formatCanonicalJson, createRecordCodec, findSplice } from './record-codec.ts'
export type { DefaultOnRead, RecordCodecOptions, StoredVersions } from './record-codec.ts'
export { decodeContinue, encodeContinue } from './continue-token.ts'
export type { ContinuePosition } from './continue-token.ts'
export { CorruptObjectError, isStorageError, StorageError, newTooLargeError, newTooOldError } from './errors.ts'
export type { StorageErrorInit } from './errors.ts'
export { selectEventType, IteratedWatch } from './object-watch.ts'
export { OpenWatches } from './open-watches.ts'
export type { ObjectEventType } from './object-watch.ts'
export { createFactory } from './factory.ts'
export type { Config, Drivers, OpenDriver, StorageFactory, TransportConfig } from './factory.ts'
export { isInRange, InvalidKeyError, createKeyRange, computePrefixEnd, createPrefixRange, prepareKey } from './object-key.ts'
export { copyLazily } from './stored-record.ts'
export { findMetadata, readMetadata, readSmallMetadata } from './metadata-slice.ts'
export type { MetadataSpan } from './metadata-slice.ts'
export { hasFirstObject, hasObjectSnapshots } from './object-access.ts'
export { createObjectStore } from './object-store.ts'
export type { ObjectStoreOptions, StorageRequest } from './object-store.ts'
export { OrderedTree, TreeSnapshot } from './ordered-tree/ordered-tree.ts'
export type { TreeChange } from './ordered-tree/tree-diff.ts'
export { VersionedTree } from './ordered-tree/versioned-tree.ts'
export type { Keyed } from './ordered-tree/tree-node.ts'
export { checkPreconditions } from './object-writes.ts'
export { isEmptyPredicate, createMatcher } from './predicate.ts'
export type { LabelSet } from './record-matcher.ts'
export { selectListedState, parseResourceVersion, requireParsableResourceVersion, startsWithState } from './resource-version.ts'
export { isStoredObject } from './stored-record.ts'
export type {
  CreateOptions,
  DeleteObjectOptions,
  GetOptions,
  TracedOptions,
  ListObjectsOptions,
  ObjectCodec,
  ObjectEvent,
  ObjectEvents,
  ObjectList,
  ObjectPreconditions,
  ObjectSnapshot,
  FirstObject,
  FirstObjectOptions,
  ObjectSnapshots,
  ObjectWatch,
  Predicate,
  Storage,
  StorageErrorCode,
  StorageErrorDetails,
  StorageStats,
  StoredObject,
  TryUpdate,
  UnreadableDetails,
  UnreadableObject,
  UpdateOptions,
  UpdateOutput,
  ValueHeaders,
  WatchObjectsOptions,
} from './storage.ts'
export { createStorageMetrics } from './storage-metrics.ts'
export type { ResourceMetrics, StorageMetrics, StorageOperation } from './storage-metrics.ts'
export { createPrefixTransformer, encryptedUnexpectedly, isEncryptedValue } from './value-transformer.ts'
export type { PlainValue, PrefixedTransformer, ResourceTransformers, ValueTransformer } from './value-transformer.ts'
export { defaultQueueLimits, WatchQueue } from './watch-queue.ts'
export type { QueueLimits, WatchQueueOptions } from './watch-queue.ts'
