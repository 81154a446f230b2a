import type { ApiTypes, KindType } from '@keelson/api'
import type { GroupVersionKind, KubeObject } from '@keelson/apimachinery'
import { openMemory } from '@keelson/backend-embedded'
import { createRecordCodec } from '@keelson/storagebackend'
import type { Backend } from '@keelson/storagebackend'
import { createResourceStorage } from '../create-resource-storage.ts'
import type { ResourceStorageOptions } from '../create-resource-storage.ts'
import { createRecordCodecs } from '../codecs.ts'
import type { ResourceDefinition } from '../resource-definition.ts'
import { createRESTOptionsGetter } from '../rest-options.ts'
import type { CodecFactory, StorageDecorator } from '../rest-options.ts'
import type { RESTStorage } from '../rest.ts'
import { newStorageFactoryConfig } from '../storage-factory.ts'
import type { Store } from '../store.ts'

export interface TestStoreOptions<T extends KubeObject> {
  /** The types of the API. Default: any kind is accepted, and stored members are sorted by name. */
  readonly types?: ApiTypes
  /** The function that creates the storage. Default: one without a watch cache. */
  readonly decorator?: StorageDecorator
  /** The driver of the store. Default: a new one in memory, which closes with the test store. */
  readonly backend?: Backend
  /** The prefix of all keys, for tests that share a driver. Default: "/registry". */
  readonly prefix?: string
  readonly now?: () => number
  readonly newUid?: () => string
  readonly generateName?: (base: string) => string
  readonly deleteCollectionWorkers?: number
  readonly enableGarbageCollection?: boolean
  readonly subresources?: ResourceStorageOptions<T>['subresources']
  readonly hooks?: ResourceStorageOptions<T>['hooks']
}

export interface TestStore<T extends KubeObject> extends AsyncDisposable {
  readonly backend: Backend
  readonly paths: ReadonlyMap<string, RESTStorage>
  readonly store: Store<T>
}

/** Opens the store of a resource on a driver in memory. */
export function openTestStore<T extends KubeObject>(definition: ResourceDefinition<T>, options: TestStoreOptions<T> = {}): TestStore<T> {
  const { types, decorator, now, newUid, generateName, subresources, hooks, deleteCollectionWorkers, enableGarbageCollection } = options
  const backend = options.backend ?? openMemory()
  const createCodec = types === undefined ? createUntypedCodec : createRecordCodecs({ schemaVersion: 1 })
  const restOptions = createRESTOptionsGetter({
    storageFactory: newStorageFactoryConfig()
      .complete({ backend, createCodec, ...(options.prefix !== undefined && { prefix: options.prefix }) })
      .new(),
    ...(decorator && { decorator }),
    ...(deleteCollectionWorkers !== undefined && { deleteCollectionWorkers }),
    ...(enableGarbageCollection !== undefined && { enableGarbageCollection }),
  })
  const paths = createResourceStorage(definition, {
    restOptions,
    types: types ?? untyped,
    ...(now && { now }),
    ...(newUid && { newUid }),
    ...(generateName && { generateName }),
    ...(subresources && { subresources }),
    ...(hooks && { hooks }),
  })
  const store = paths.get(definition.plural) as Store<T>
  return {
    backend,
    paths,
    store,
    async [Symbol.asyncDispose]() {
      await store.storage.close()
      if (options.backend === undefined) await backend[Symbol.asyncDispose]()
    },
  }
}

/** Codecs for kinds without a schema. They sort members by name. */
export const createUntypedCodec: CodecFactory = ({ kind, selectableFields, defaultOnRead }) =>
  createRecordCodec({ kind: kind.gvk.kind, schemaVersion: 1, selectableFields, defaultOnRead })

/** API types that accept every kind, without schemas. */
export const untyped: ApiTypes = {
  findSchema: () => undefined,
  kind(gvk: GroupVersionKind): KindType {
    const throwUnknownType = (): never => {
      throw new Error(`unknown type ${gvk.kind}`)
    }
    return {
      gvk,
      schema: { kind: 'struct', name: gvk.kind, definition: gvk.kind, fields: [], byName: new Map() },
      encodeProto: throwUnknownType,
      decodeProto: throwUnknownType,
    }
  },
}
