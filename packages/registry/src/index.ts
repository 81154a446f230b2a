export { createWriteRoute, encodeTypedJson, fromHub, parseApiVersion, createStorageFieldManager } from './write/route.ts'
export type { StorageFieldManagerOptions, WriteRoute, WriteRouteOptions } from './write/route.ts'
export { defineApiGroup } from './api-group.ts'
export type { ApiGroup, ApiGroupDefinition, BodyKind, KindRegistry, StorageHost } from './api-group.ts'
export { createClusterKeys, completeWithOptions, createNamespacedKeys } from './store-dependencies.ts'
export type {
  FinishHook,
  HookOptions,
  KeyFunctions,
  StoreHooks,
  StoreHooksFactory,
  StoreOptions,
  StoreDependencies,
} from './store-dependencies.ts'
export type {
  Connecter,
  ConnectTarget,
  DialRemote,
  OptionsDescription,
  OptionType,
  ProcessStreams,
  Remote,
  RemoteTls,
  Streamer,
  StreamTarget,
} from './connect.ts'
export { createResourceStorage, createStore, newRESTStorage } from './create-resource-storage.ts'
export type { ResourceStorageOptions, RESTStorageExtensions, SubresourceFactory } from './create-resource-storage.ts'
export { decodeDocument, formatNotRegistered, parseInAdvance } from './decode/document.ts'
export type { CborDecoder, SentBody, TypedDocument } from './decode/document.ts'
export { formatInternalTypeName } from './internal-type-name.ts'
export { formatAge, ageColumn, formatHumanDuration, nameColumn, createTableConvertor } from './table.ts'
export { createProtobufCodecs, createRecordCodecs } from './codecs.ts'
export type { ProtobufCodecsOptions, StorageMediaType } from './codecs.ts'
export { countObjects, oneObject, selectsScope } from './quota-rules.ts'
export type { QuotaRules, QuotaWrite, ScopeSelector } from './quota-rules.ts'
export type { DefaultOnRead } from '@keelson/storagebackend'
export { defineResource } from './resource-definition.ts'
export type {
  Column,
  ColumnGroup,
  DeletionPolicy,
  DeprecationNotice,
  OtherVersions,
  ResourceDefinition,
  ServedVersion,
  StorageFacts,
  Strategy,
  SubresourceStrategy,
  ValidationSteps,
} from './resource-definition.ts'
export { LazyStorage } from './lazy-storage.ts'
export type { LazyStorageOptions } from './lazy-storage.ts'
export {
  createOnUse,
  createRESTOptionsGetter,
  newRawStorage,
  restDefaults,
  trackStorages,
  createUndecoratedStorage,
} from './rest-options.ts'
export type {
  CodecFactory,
  CodecRequest,
  CustomVersions,
  RESTOptions,
  RESTOptionsGetter,
  RESTOptionsGetterOptions,
  StorageDecorator,
  TrackedStorages,
} from './rest-options.ts'
export {
  canConnect,
  canCreate,
  canCreateNamed,
  canDelete,
  canDeleteCollection,
  canExport,
  canGet,
  canList,
  canPatch,
  canStream,
  canUpdate,
  canWatch,
  readResult,
  describeRESTStorage,
} from './rest.ts'
export type {
  AdmitObject,
  CollectionDeleter,
  Creater,
  CreateRequest,
  DeleteRequest,
  DeleteResult,
  Exporter,
  ExportRequest,
  GetRequest,
  Getter,
  GracefulDeleter,
  Lister,
  Listing,
  ListRequest,
  NamedCreater,
  ObjectView,
  Patcher,
  RestResult,
  RESTStorage,
  ResultList,
  TableCell,
  TableColumn,
  TableConvertor,
  Updater,
  UpdateRequest,
  UpdateResult,
  Watchable,
  WatchRequest,
} from './rest.ts'
export { createScaleSubresource } from './scale-subresource.ts'
export type { ScaledBy } from './scale-subresource.ts'
export { CompletedStorageFactoryConfig, DefaultStorageFactory, newStorageFactoryConfig, StorageFactoryConfig } from './storage-factory.ts'
export type { StorageConfig, StorageFactory, StorageOptions } from './storage-factory.ts'
export { Store } from './store.ts'
export { admitConnect, noAdmission } from './write/admission.ts'
export type {
  AdmissionAttributes,
  AdmissionChain,
  AdmissionOperation,
  AdmittedRoute,
  EquivalentResource,
  VersionedObject,
  VersionedObjects,
  WriteOptions,
} from './write/admission.ts'
export { Reinvocation } from './write/reinvocation.ts'
export { mergePatchTypes } from './write/change.ts'
export type { Change, Configuration, CreateWrite, MergePatchType } from './write/change.ts'
export { createObject } from './write/write.ts'
export { resetMetadataForStatus } from './write/prepare.ts'
export { validateInSlices } from './write/validate-in-slices.ts'
