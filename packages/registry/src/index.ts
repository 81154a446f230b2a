export { parseApiVersion } from './api-version.ts'
export { defineApiGroup } from './api-group.ts'
export type { ApiGroup, ApiGroupParts, BodyKind, KindRegistry, StorageHost } from './api-group.ts'
export { completeWithOptions } from './complete-with-options.ts'
export type { StoreOptions } from './complete-with-options.ts'
export type {
  Connecter,
  ConnectTarget,
  OptionsDescription,
  OptionType,
  ProcessStreams,
  Remote,
  RemoteTls,
  Streamer,
  StreamTarget,
} from './connect.ts'
export { createResourceStorage, createStore } from './create-resource-storage.ts'
export type { ResourceStorageOptions, SubresourceFactory } from './create-resource-storage.ts'
export { decodeDocument, notRegistered, parseInAdvance } from './decode/document.ts'
export type { CborDecoder, SentBody, TypedDocument } from './decode/document.ts'
export { internalTypeName } from './decode/internal-type-name.ts'
export { storageFieldManager } from './field-manager.ts'
export type { StorageFieldManagerOptions } from './field-manager.ts'
export { age, humanDuration } from './human-duration.ts'
export { clusterKeys, namespacedKeys } from './keys.ts'
export type { KeyFunctions } from './keys.ts'
export { newRESTStorage } from './new-rest-storage.ts'
export type { RESTStorageParts } from './new-rest-storage.ts'
export { protobufCodecs } from './protobuf-codecs.ts'
export type { ProtobufCodecsOptions, StorageMediaType } from './protobuf-codecs.ts'
export { countObjects, oneObject, scopeSelects } from './quota-rules.ts'
export type { QuotaRules, QuotaWrite, ScopeSelector } from './quota-rules.ts'
export { recordCodecs } from './record-codecs.ts'
export { resetMetadataForStatus } from './reset-metadata.ts'
export type { DefaultOnRead } from '@keelson/storagebackend'
export { defineResource } from './resource-definition.ts'
export type {
  Column,
  ColumnGroup,
  DeletionPolicy,
  ResourceDefinition,
  ServedVersion,
  StorageFacts,
  Strategy,
  SubresourceStrategy,
  ValidationSteps,
} from './resource-definition.ts'
export type { CodecFactory, CodecRequest, RESTOptions, RESTOptionsGetter, StorageDecorator } from './rest-options.ts'
export { readResult } from './read-result.ts'
export { restFacts } from './rest-facts.ts'
export { restDefaults } from './rest-defaults.ts'
export { createRESTOptionsGetter } from './rest-options-getter.ts'
export type { RESTOptionsGetterOptions } from './rest-options-getter.ts'
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
  Getter,
  GetRequest,
  GracefulDeleter,
  Lister,
  ListRequest,
  NamedCreater,
  ObjectView,
  Patcher,
  RESTStorage,
  RestResult,
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
export { scaleSubresource } from './scale-subresource.ts'
export type { ScaledBy } from './scale-subresource.ts'
export { CompletedStorageFactoryConfig, DefaultStorageFactory, newStorageFactoryConfig, StorageFactoryConfig } from './storage-factory.ts'
export type { StorageConfig, StorageFactory, StorageOptions } from './storage-factory.ts'
export { Store } from './store.ts'
export type { FinishHook, HookOptions, StoreHooks, StoreHooksFactory } from './write/store-hooks.ts'
export type { StoreParts } from './store-parts.ts'
export { ageColumn, nameColumn, tableConvertor } from './table.ts'
export { trackStorages } from './track-storages.ts'
export type { TrackedStorages } from './track-storages.ts'
export { newRawStorage, undecoratedStorage } from './undecorated-storage.ts'
export { noAdmission } from './write/admission.ts'
export type { AdmissionAttributes, AdmissionChain, AdmissionOperation, VersionedObjects } from './write/admission.ts'
export { admitConnect } from './write/attributes.ts'
export type { AdmittedRoute, WriteOptions } from './write/attributes.ts'
export { mergePatchTypes } from './write/change.ts'
export type { Change, Configuration, CreateWrite, MergePatchType } from './write/change.ts'
export { createWriteRoute, fromHub } from './write/route.ts'
export type { WriteRoute, WriteRouteOptions } from './write/route.ts'
export { createObject } from './write/write.ts'
