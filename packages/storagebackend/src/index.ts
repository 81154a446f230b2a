export { hasCompaction, hasSizeStatistics, hasSnapshots } from './backend.ts'
export type {
  Backend,
  BackendSnapshot,
  Change,
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
export { canonicalJson } from './canonical-json.ts'
export { decodeContinue, encodeContinue } from './continue-token.ts'
export type { ContinuePosition } from './continue-token.ts'
export { CorruptObjectError, isStorageError, StorageError, tooLarge, tooOld } from './errors.ts'
export type { StorageErrorInit } from './errors.ts'
export { eventType } from './event-type.ts'
export type { ObjectEventType } from './event-type.ts'
export { createFactory } from './factory.ts'
export type { Config, Drivers, OpenDriver, StorageFactory, TransportConfig } from './factory.ts'
export { IteratedWatch } from './iterated-watch.ts'
export { findSplice } from './json-splice.ts'
export { inRange, keyRange, prefixEnd, prefixRange } from './key-range.ts'
export { lateObject } from './late-object.ts'
export { findMetadata, readMetadata } from './metadata-slice.ts'
export type { MetadataSpan } from './metadata-slice.ts'
export { InvalidKeyError, prepareKey } from './object-key.ts'
export { requireTransaction } from './require-transaction.ts'
export { hasObjectSnapshots } from './object-snapshots.ts'
export { createObjectStore } from './object-store.ts'
export type { ObjectStoreOptions, StorageRequest } from './object-store.ts'
export { OrderedTree, TreeSnapshot } from './ordered-tree/ordered-tree.ts'
export { VersionedTree } from './ordered-tree/versioned-tree.ts'
export type { Keyed } from './ordered-tree/tree-node.ts'
export { checkPreconditions } from './preconditions.ts'
export { isEmptyPredicate, matcher } from './predicate.ts'
export type { LabelSet } from './label-sets.ts'
export { createRecordCodec } from './record-codec.ts'
export type { DefaultOnRead, RecordCodecOptions } from './record-codec.ts'
export { parseResourceVersion, requireParsableResourceVersion } from './resource-version.ts'
export { isStoredObject } from './storage.ts'
export type {
  CreateOptions,
  DeleteObjectOptions,
  GetOptions,
  ListObjectsOptions,
  ObjectCodec,
  ObjectEvent,
  ObjectEvents,
  ObjectList,
  ObjectPreconditions,
  ObjectSnapshot,
  ObjectSnapshots,
  ObjectWatch,
  Predicate,
  Storage,
  StorageErrorCode,
  StorageErrorDetails,
  StorageStats,
  StoredObject,
  UnreadableDetails,
  UnreadableObject,
  UpdateOptions,
  TryUpdate,
  UpdateOutput,
  ValueHeaders,
  WatchObjectsOptions,
} from './storage.ts'
export { createStorageMetrics } from './storage-metrics.ts'
export type { ResourceMetrics, StorageMetrics, StorageOperation } from './storage-metrics.ts'
export { createPrefixTransformer } from './value/prefix-transformer.ts'
export type { PrefixedTransformer } from './value/prefix-transformer.ts'
export { encryptedUnexpectedly, isEncryptedValue } from './value/encrypted-prefix.ts'
export type { PlainValue, ResourceTransformers, ValueTransformer } from './value/value-transformer.ts'
export { listedState, startsWithState } from './version-rules.ts'
export { defaultQueueLimits, WatchQueue } from './watch-queue.ts'
export type { QueueLimits, WatchQueueOptions } from './watch-queue.ts'
