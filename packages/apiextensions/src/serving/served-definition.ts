import { jsonKinds } from '@keelson/api'
import type { GroupVersionTypes, KindType } from '@keelson/api'
import type { CustomResourceDefinition, JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import {
  compareVersions,
  copyObject,
  formatGroupVersion,
  newUnknownError,
  parseGroupVersion,
  equalsSemantically,
  stringifyJson,
  UndecodedObject,
} from '@keelson/apimachinery'
import type { GroupVersionKind, KubeObject, Task } from '@keelson/apimachinery'
import type { ReplicasPaths } from '@keelson/apimachinery/managed-fields'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { getExpressionMetrics } from '@keelson/cel'
import type { GroupHost, InstalledGroup } from '@keelson/http-installer'
import { createResourceStorage, createStore } from '@keelson/registry'
import type {
  ApiGroup,
  Listing,
  OtherVersions,
  ResourceDefinition,
  RESTOptions,
  RESTOptionsGetter,
  StorageHost,
  Store,
} from '@keelson/registry'
import type { Dialer } from '@keelson/outbound'
import type { StoredObject } from '@keelson/storagebackend'
import { toMergeSchema } from '../apply/merge-schema.ts'
import type { ConversionMetrics } from '../conversion/conversion-metrics.ts'
import type { FollowedDefinition } from '../controllers/custom-resources.ts'
import { isConditionTrue } from '../definitions/conditions.ts'
import { createKindDocument } from '../openapi/kind-document.ts'
import { createCustomScale, ScalePaths } from './scale.ts'
import { defineCustomResource, refuseCreation } from './version-definition.ts'
import type { CompiledVersion, DefinitionOutline, OutlineVersion } from './version-definition.ts'
import { VersionSchema } from './version-schema.ts'
import { VersionStorages } from './version-storages.ts'

/** The priority of groups of custom resources in discovery. */
const priority = 1000

export interface ServedDefinitionOptions {
  readonly host: Pick<GroupHost<never>, 'install'>
  readonly restOptions: RESTOptionsGetter
  /** Opens connections to conversion webhooks. */
  readonly dialer: Dialer
  readonly conversionMetrics?: ConversionMetrics | undefined
  /** Registry for the metrics of rules. Default: none. */
  readonly metrics?: MetricsRegistry | undefined
}

/** A definition whose versions are served. All versions share one storage, which holds the storage version. */
export class ServedDefinition {
  readonly #options: ServedDefinitionOptions
  #outline: DefinitionOutline
  /** The complete definition. Its bytes are those that the watch cache has. */
  #stored: StoredObject<CustomResourceDefinition>
  readonly #installed: InstalledGroup[] = []
  readonly #versions: ReadonlyMap<string, CompiledVersion>
  readonly #types = new Map<string, GroupVersionTypes>()
  readonly #storages: VersionStorages
  readonly #restOptions: RESTOptions

  constructor({ outline, stored }: FollowedDefinition, options: ServedDefinitionOptions) {
    this.#options = options
    this.#outline = outline
    this.#stored = stored
    const { group } = outline.spec
    const { plural } = outline.status!.acceptedNames
    this.#versions = new Map((outline.spec.versions ?? []).map((version) => [version.name, this.#compile(version)]))
    this.#restOptions = options.restOptions.getRESTOptions({ group, resource: plural }, { prefix: `${group}/${plural}` })
    this.#storages = new VersionStorages({
      definition: outline,
      versions: this.#versions,
      restOptions: this.#restOptions,
      createType: ({ gvk }) => this.#createType(gvk),
      dialer: options.dialer,
      conversionMetrics: options.conversionMetrics,
    })
  }

  /** Installs the served versions. */
  install(): void {
    const served = [...this.#versions.values()].filter(({ outline }) => outline.served)
    for (const version of served.toSorted((a, b) => compareVersions(a.gvk.version, b.gvk.version))) {
      this.#installed.push(this.#options.host.install(this.#createGroup(version)))
    }
  }

  /**
   * Returns true if the definition is served as before, because neither its spec nor its accepted names changed. Takes over its new
   * conditions.
   */
  takesOver({ outline, stored }: FollowedDefinition): boolean {
    const { metadata, status } = this.#outline
    const isSame =
      metadata.uid === outline.metadata.uid &&
      metadata.generation === outline.metadata.generation &&
      equalsSemantically(status?.acceptedNames, outline.status?.acceptedNames)
    if (!isSame) return false
    const before = this.#listing
    this.#outline = outline
    this.#stored = stored
    if (!equalsSemantically(before, this.#listing)) for (const group of this.#installed) group.refreshDocuments()
    return true
  }

  /** Ends routes at once. Ends watches after `drained` resolves, so that they receive the last deletions. */
  async close(drained: Promise<void>): Promise<void> {
    const closing = this.#installed.splice(0).map((group) => group[Symbol.asyncDispose]())
    await Promise.all(closing)
    await drained
    await this.#storages.close()
  }

  /** The prefix of the keys of all objects. */
  get keyPrefix(): string {
    return `${this.#restOptions.resourcePrefix}/`
  }

  /** Creates a store of the storage version, also if that version is not served. */
  createStore(): Store {
    const version = this.#storageVersion
    const types = { kind: () => this.#createType(version.gvk), findSchema: () => undefined }
    return createStore(this.#define(version), { restOptions: this.#createOptions(version), types })
  }

  get #storageVersion(): CompiledVersion {
    return this.#versions.values().find(({ outline }) => outline.storage)!
  }

  /** As in kube-apiserver, documents list the resource when it is established, and without writes while its objects are deleted. */
  get #listing(): Listing {
    return {
      isListed: isConditionTrue(this.#outline, 'Established'),
      listsWrites: !isConditionTrue(this.#outline, 'Terminating'),
      listsStorageVersion: this.#storageVersion.outline.served,
    }
  }

  #compile(outline: OutlineVersion): CompiledVersion {
    const gvk = { group: this.#outline.spec.group, version: outline.name, kind: this.#outline.status!.acceptedNames.kind }
    const scale = outline.subresources?.scale
    return {
      gvk,
      outline,
      schema: new VersionSchema(gvk, {
        load: () => this.#findSchema(outline.name),
        decode: () => this.#decodeSchema(outline.name),
        loadText: () => stringifyJson(this.#findStoredVersion(outline.name)?.schema ?? null),
        size: () => this.#stored.body.byteLength,
        ruleMetrics: this.#options.metrics && getExpressionMetrics(this.#options.metrics),
      }),
      scale: scale && new ScalePaths(scale),
    }
  }

  /** Returns the schema of a version. It is decoded until the next garbage collection, because several callers need it at the same time. */
  #findSchema(version: string): JSONSchemaProps | undefined {
    return this.#findStoredVersion(version)?.schema?.openAPIV3Schema as JSONSchemaProps | undefined
  }

  /** Returns the same schema as `#findSchema`, but decodes it in steps. */
  *#decodeSchema(version: string): Task<JSONSchemaProps | undefined> {
    const schema = this.#findStoredVersion(version)?.schema
    return (schema instanceof UndecodedObject ? yield* schema.decodeStepwise() : schema?.openAPIV3Schema) as JSONSchemaProps | undefined
  }

  /** Returns a version from the stored definition. Its schema is not decoded before it is read. */
  #findStoredVersion(version: string): OutlineVersion | undefined {
    return this.#stored.object().spec.versions?.find(({ name }) => name === version)
  }

  #createGroup(version: CompiledVersion): ApiGroup {
    const { gvk } = version
    const definition = this.#define(version)
    return {
      name: gvk.group,
      priority,
      sortsVersions: true,
      types: [this.#createTypes(gvk)],
      resources: [definition],
      register(scheme) {
        const labels = new Set([
          'metadata.name',
          ...(definition.scope === 'Namespaced' ? ['metadata.namespace'] : []),
          ...Object.keys(definition.selectableFields ?? {}),
        ])
        scheme.register({
          gvk,
          hub: gvk,
          setDefaults: definition.setDefaults!,
          convertFieldLabel: (label) => (labels.has(label) ? label : undefined),
        })
      },
      newRESTStorage: ({ types }: StorageHost) =>
        createResourceStorage(definition, {
          restOptions: this.#createOptions(version),
          types,
          hooks: () => ({ check: (_context, object, old) => this.#checkCreation(object, old) }),
          ...(version.scale && { subresources: { scale: createCustomScale(version.scale, this.#getReplicasPaths()) } }),
        }),
    }
  }

  #define(version: CompiledVersion): ResourceDefinition {
    const definition = defineCustomResource(this.#outline, version, this.#otherVersions)
    return {
      ...definition,
      getListing: () => this.#listing,
      storage: { ...definition.storage, convertOnRead: (object) => this.#storages.asRead(version, object) },
    }
  }

  /** Refuses to create an object while the definition is being deleted. */
  #checkCreation(object: KubeObject, old: unknown): void {
    const isTerminating = this.#outline.metadata.deletionTimestamp !== undefined || isConditionTrue(this.#outline, 'Terminating')
    if (old === undefined && isTerminating) refuseCreation(this.#outline, object.metadata.name ?? '')
  }

  readonly #otherVersions: OtherVersions = {
    findSchema: (apiVersion) => {
      const version = this.#findVersion(apiVersion)
      return version && this.#createType(version.gvk)
    },
    hasSubresource: (apiVersion, subresource) =>
      this.#findVersion(apiVersion)?.outline.subresources?.[subresource as 'status'] !== undefined,
    listSubresourceVersions: (subresource) =>
      Array.from(this.#versions.values(), ({ outline }) => outline)
        .filter(({ subresources }) => subresource === '' || subresources?.[subresource as 'status'] !== undefined)
        .map(({ name }) => name),
    convert: (object, from, to) => this.#convert(object, from, to),
  }

  #convert(object: KubeObject, from: string, to: string): KubeObject | Promise<KubeObject> {
    const { converter } = this.#storages
    if (converter === undefined || from === to) return object
    const body = Buffer.from(stringifyJson({ ...object, kind: undefined, apiVersion: undefined }))
    const input = { version: parseGroupVersion(from).version, body, metadata: () => copyObject(object.metadata) }
    return converter.convert([input], parseGroupVersion(to).version, undefined).then(([converted]) => {
      if (converted === undefined || converted instanceof Error) throw newUnknownError(converted?.message ?? 'the object was not converted')
      return converted
    })
  }

  #findVersion(apiVersion: string): CompiledVersion | undefined {
    const version = this.#versions.get(apiVersion.slice(apiVersion.indexOf('/') + 1))
    return version !== undefined && formatGroupVersion(version.gvk) === apiVersion ? version : undefined
  }

  #getReplicasPaths(): ReplicasPaths {
    const paths = Array.from(this.#versions.values(), ({ gvk, scale }) => {
      return [formatGroupVersion(gvk), scale?.spec.specReplicasPath.replace(/^\./, '') ?? null] as const
    })
    return Object.fromEntries(paths)
  }

  #createType(gvk: GroupVersionKind): KindType {
    return this.#createTypes(gvk).kinds.find((type) => type.gvk.kind === gvk.kind)!
  }

  #createTypes({ group, version, kind }: GroupVersionKind): GroupVersionTypes {
    let types = this.#types.get(version)
    if (types === undefined) {
      const { schema } = this.#versions.get(version)!
      const listKind = this.#outline.status!.acceptedNames.listKind ?? `${kind}List`
      types = jsonKinds({ group, version }, [
        {
          kind,
          listKind,
          mergeType: toMergeSchema(
            () => this.#findSchema(version)!,
            () => this.#decodeSchema(version),
          ),
          openApi: createKindDocument({ definition: this.#outline, version, load: () => this.#findSchema(version) }),
          prepare: () => schema.prepare(),
          prune: (object, options) => schema.prune(object, options),
        },
      ])
      this.#types.set(version, types)
    }
    return types
  }

  /** Returns REST options with which a store gets the storage of a version. */
  #createOptions(version: CompiledVersion): RESTOptionsGetter {
    const storage = this.#storages.getStorage(version)
    const options: RESTOptions = { ...this.#restOptions, decorator: (() => storage) as unknown as RESTOptions['decorator'] }
    return { getRESTOptions: () => options }
  }
}
