import { createHash } from 'node:crypto'
import type { KindType } from '@keelson/api'
import { formatGroupVersion, runAfter } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { Dialer } from '@keelson/outbound'
import { createRecordCodecs, LazyStorage, newRawStorage } from '@keelson/registry'
import type { CodecRequest, ResourceDefinition, RESTOptions } from '@keelson/registry'
import { StorageError } from '@keelson/storagebackend'
import type { ObjectCodec, Storage, StorageRequest } from '@keelson/storagebackend'
import type { ConversionMetrics } from '../conversion/conversion-metrics.ts'
import { ConvertedStorage } from '../conversion/converted-storage.ts'
import { PrunedView, WebhookView, unwrapConversion } from '../conversion/version-view.ts'
import type { VersionView } from '../conversion/version-view.ts'
import { WebhookConverter } from '../conversion/webhook-converter.ts'
import { createSelectableFields } from './version-definition.ts'
import type { CompiledVersion, DefinitionOutline } from './version-definition.ts'

export interface VersionStoragesOptions {
  readonly definition: DefinitionOutline
  readonly versions: ReadonlyMap<string, CompiledVersion>
  readonly restOptions: RESTOptions
  readonly createType: (version: CompiledVersion) => KindType
  /** Opens connections to conversion webhooks. */
  readonly dialer: Dialer
  readonly conversionMetrics?: ConversionMetrics | undefined
}

type SelectableFields = NonNullable<ResourceDefinition['selectableFields']>

/** Codecs of objects that are not written to a store. */
const memoryCodecs = createRecordCodecs({ schemaVersion: 1 })

/**
 * The storages of a definition's versions, created on first use. All of them read and write the same objects of the store. Without a webhook,
 * they also share one watch cache. With a webhook, each version has a cache of converted objects.
 */
export class VersionStorages {
  readonly #options: VersionStoragesOptions
  readonly #lazy = new Map<string, LazyStorage>()
  readonly #views = new Map<string, VersionView<KubeObject>>()
  readonly #opened = new Set<Storage>()
  readonly #storageVersion: CompiledVersion
  #shared: Storage | undefined
  #converter: WebhookConverter | undefined
  #isClosed = false

  constructor(options: VersionStoragesOptions) {
    this.#options = options
    this.#storageVersion = options.versions.values().find(({ outline }) => outline.storage)!
  }

  /** Returns the storage of a version. */
  getStorage(version: CompiledVersion): Storage {
    const { name } = version.outline
    let lazy = this.#lazy.get(name)
    if (lazy === undefined) this.#lazy.set(name, (lazy = this.#createLazy(version)))
    return lazy
  }

  /** Compiles large schemas, because stored objects of all versions may have to be pruned. Returns undefined if there is nothing to wait for. */
  #prepare(): Promise<void> | undefined {
    for (const { schema } of this.#options.versions.values()) {
      const preparing = schema.prepare()
      if (preparing !== undefined) return preparing.then(() => this.#prepare())
    }
    return undefined
  }

  /** The converter of the definition's webhook. Undefined if the definition has none. */
  get converter(): WebhookConverter | undefined {
    const { definition, dialer, conversionMetrics: metrics } = this.#options
    if (definition.spec.conversion?.strategy !== 'Webhook') return undefined
    return (this.#converter ??= new WebhookConverter({ definition, dialer, metrics }))
  }

  /** Ends watches. Requests that were routed before can still read and write. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#converter?.[Symbol.dispose]()
    await Promise.all(Array.from(this.#opened, (storage) => storage.close()))
  }

  #createLazy(version: CompiledVersion): LazyStorage {
    const { backend } = this.#options.restOptions
    return new LazyStorage({ create: () => this.#create(version), prepare: () => this.#prepare(), backend, prefix: this.#prefix })
  }

  #create(version: CompiledVersion): Storage {
    return this.converter === undefined ? this.#createPruned(version) : this.#createConverted(version)
  }

  /** Returns an object of a version as it would be read after it was stored. */
  asRead(version: CompiledVersion, object: KubeObject): KubeObject | Promise<KubeObject> {
    const name = object.metadata.name ?? ''
    const view = this.#createView(version)
    if (view !== undefined) return runAfter(view.asRead(object, name), (converted) => unwrapConversion(converted, name))
    version.schema.setDefaults(object)
    return object
  }

  #createPruned(version: CompiledVersion): Storage {
    const shared = (this.#shared ??= this.#open(this.#options.restOptions.decorator(this.#request())))
    const view = this.#createView(version)
    return view === undefined ? shared : this.#open(new ConvertedStorage({ storage: shared, prefix: this.#prefix, view }))
  }

  #createConverted(version: CompiledVersion): Storage {
    const request = this.#request()
    const shared = (this.#shared ??= this.#open(newRawStorage(request)))
    const storage = new ConvertedStorage({ storage: shared, prefix: this.#prefix, view: this.#createView(version)! })
    return this.#open(this.#options.restOptions.decorator({ ...request, storage }))
  }

  /** Returns the view of a version. Undefined if its objects are those of the store. */
  #createView(version: CompiledVersion): VersionView<KubeObject> | undefined {
    const { name } = version.outline
    let view = this.#views.get(name)
    if (view === undefined) {
      view = this.converter === undefined ? this.#createPrunedView(version) : this.#createWebhookView(version, this.converter)
      if (view !== undefined) this.#views.set(name, view)
    }
    return view
  }

  #createPrunedView(version: CompiledVersion): VersionView<KubeObject> | undefined {
    const { schema } = version
    const storageSchema = this.#storageVersion.schema
    if (schema === storageSchema || schema.text === storageSchema.text) return undefined
    return new PrunedView({ codec: this.#memoryCodec(version), schema, storageSchema })
  }

  /**
   * Also the storage version has a view, because the store may have objects of other versions, even if the definition's
   * `status.storedVersions` does not list them.
   */
  #createWebhookView(version: CompiledVersion, converter: WebhookConverter): VersionView<KubeObject> {
    return new WebhookView({
      group: version.gvk.group,
      version: version.outline.name,
      storageVersion: this.#storageVersion.outline.name,
      versions: new Set(this.#options.versions.keys()),
      codec: this.#memoryCodec(version),
      schema: version.schema,
      storageSchema: this.#storageVersion.schema,
      converter,
    })
  }

  #open(storage: Storage): Storage {
    this.#opened.add(storage)
    if (this.#isClosed) void storage.close()
    return storage
  }

  get #prefix(): string {
    return `${this.#options.restOptions.resourcePrefix}/`
  }

  /** Returns the request for the storage of stored objects. */
  #request(): StorageRequest {
    const { definition, restOptions } = this.#options
    const { createCodec, backend, transformer, metrics, now } = restOptions
    const { outline, schema } = this.#storageVersion
    const isConverted = this.converter !== undefined
    return {
      backend,
      codec: createCodec({
        ...this.#codecRequest(this.#storageVersion),
        defaultOnRead: schema.defaultOnRead,
        versions: {
          current: outline.name,
          schemaVersion: computeChecksum(schema.text),
          refresh: (object, version) => this.#refresh(object, version),
          ...(!isConverted && { relabel: (object: KubeObject) => void schema.prune(object) }),
        },
      }),
      resource: { group: definition.spec.group, resource: definition.status!.acceptedNames.plural },
      typeName: 'unstructured.Unstructured',
      prefix: this.#prefix,
      ...(transformer && { transformer }),
      ...(metrics && { metrics }),
      ...(now && { now }),
    }
  }

  /** Prunes and defaults a stored object by the schema of its version. */
  #refresh(object: KubeObject, version: string): void {
    const { definition, versions } = this.#options
    const existing = versions.get(version)
    if (existing !== undefined) existing.schema.refresh(object)
    else if (this.converter === undefined) {
      const apiVersion = formatGroupVersion({ group: definition.spec.group, version })
      const message = `request to convert CR from an invalid group/version: ${apiVersion}`
      throw new StorageError({ code: 'ConversionFailed', key: object.metadata.name ?? '', message })
    }
  }

  #memoryCodec(version: CompiledVersion): ObjectCodec {
    return memoryCodecs(this.#codecRequest(version))
  }

  #codecRequest(version: CompiledVersion): CodecRequest {
    const { definition, versions, createType } = this.#options
    const metadataFields: SelectableFields = {
      'metadata.name': ({ metadata }) => metadata.name ?? '',
      ...(definition.spec.scope === 'Namespaced' && { 'metadata.namespace': ({ metadata }) => metadata.namespace ?? '' }),
    }
    // Without a webhook, selectors of all versions are evaluated on the stored objects.
    const selecting = this.converter === undefined ? [...versions.values()] : [version]
    const fields = selecting.flatMap(({ outline }) => outline.selectableFields ?? [])
    return { kind: createType(version), selectableFields: { ...metadataFields, ...createSelectableFields(fields) } }
  }
}

/** Returns a checksum from 1 to 2^32 - 1. */
function computeChecksum(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() || 1
}
