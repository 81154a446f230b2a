import { formatGroupVersion } from '../names.ts'
import { newUnknownError } from '../api-errors.ts'
import { getErrorMessage } from '../api-error.ts'
import { decodeStruct } from '../decode-struct.ts'
import { isJsonError } from '../json-error.ts'
import { copyObject, isJsonObject } from '../json-value.ts'
import type { JsonObject, KubeObject } from '../meta.ts'
import type { GroupVersionKind } from '../names.ts'
import type { Task } from '../task.ts'
import type { StructSchema } from '../type-schema.ts'
import { TypedError, getMergeType } from './merge-type.ts'
import type { ConvertTyped, MergeType, Steps, TypedObject } from './merge-type.ts'
import { conforms, validateTyped } from './validate-typed.ts'

/** Schemas of a kind in one version. */
export interface KindSchema {
  /** Schema by which objects are decoded. */
  readonly schema: StructSchema
  /** Schema by which objects are merged. Default: the same as `schema`. */
  readonly mergeType?: MergeType | undefined
  /** Drops members that the kind does not have in this version. Needed if `schema` keeps unknown members. Default: nothing is dropped. */
  prune?(object: KubeObject, options: { readonly keepsInvalidNulls: true }): unknown
}

/**
 * Schemas and conversions of a kind, as field managers need them. The hub is the version through which the server converts all others. Versions
 * are spelled like `apiVersion`.
 */
export interface VersionedKind {
  /** Returns the schemas of the kind; undefined if the kind does not exist in that version. */
  schemaOf(apiVersion: string): KindSchema | undefined
  /** Converts from the hub version. Must not modify its argument. */
  fromHub(object: KubeObject, apiVersion: string): KubeObject
  /** Converts to the hub version. May modify its argument. */
  toHub(object: KubeObject, apiVersion: string): KubeObject
  setDefaults(object: KubeObject, apiVersion: string): void
  /**
   * Converts between two versions. Must not modify its argument. Returns a promise if a webhook converts the object. Default: converts to the hub
   * version and from there.
   */
  convert?(object: KubeObject, from: string, to: string): KubeObject | Promise<KubeObject>
}

/** Thrown if an object cannot be converted to the version of a manager. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError'
}

/** Converts between objects in the hub version and objects in a given version. Field sets refer to the latter. */
export class TypedKind {
  readonly apiVersion: string
  /** False if every object can be converted to each version. */
  readonly conversionMayFail: boolean
  readonly convert: ConvertTyped = (object, apiVersion, failure) => this.#convert(object, apiVersion, failure)
  readonly #kind: string
  readonly #versions: VersionedKind
  readonly #schema: KindSchema
  #empty: TypedObject | undefined

  /** Prepares the conversions of a kind. Throws if the kind has no schema in its own version. */
  constructor({ group, version, kind }: GroupVersionKind, versions: VersionedKind) {
    this.apiVersion = formatGroupVersion({ group, version })
    this.#kind = kind
    this.#versions = versions
    this.conversionMayFail = versions.convert !== undefined
    const schema = versions.schemaOf(this.apiVersion)
    if (schema === undefined) throw new TypeError(`no schema for ${kind} in ${this.apiVersion}`)
    this.#schema = schema
  }

  /** Returns the merge schema of the kind; undefined if the kind does not exist in that version. */
  typeIn(apiVersion: string): MergeType | undefined {
    const schema = this.#versions.schemaOf(apiVersion)
    return schema && resolveMergeType(schema)
  }

  /** Converts an object from the hub version to this version. For `undefined`, returns an empty object of the kind. */
  typed(object: KubeObject | undefined): TypedObject {
    if (object !== undefined) return this.#wrap(withoutManaged(this.#versions.fromHub(object, this.apiVersion)))
    return (this.#empty ??= this.#wrap(decodeStruct(this.#schema.schema, {}).object))
  }

  /** Converts an applied configuration to a typed object. Its kind and apiVersion must already be checked. Throws `ApiError` on a type mismatch. */
  typedConfig(config: JsonObject): TypedObject {
    const { kind: _, apiVersion: __, ...value } = config
    const object = this.#wrap(value)
    try {
      validateTyped(object.type, value)
    } catch (error) {
      if (!(error instanceof TypedError)) throw error
      throw newUnknownError(`failed to create typed patch object (${this.show(object)}): ${error.message}`, { cause: error })
    }
    return object
  }

  /** Converts an object to the hub version and sets defaults. Throws `ApiError` if a value of `config` cannot be decoded. */
  toHub(object: TypedObject, config: JsonObject): KubeObject {
    let decoded: KubeObject
    try {
      decoded = decodeCopy(this.#schema, object.value)
    } catch (error) {
      if (!isJsonError(error)) throw error
      const why = `unable to convert unstructured object to ${formatKind(this.apiVersion, this.#kind)}: ${error.message}`
      throw newUnknownError(`failed to convert new object (${this.show({ value: config })}) to proper version: ${why}`, { cause: error })
    }
    decoded.metadata ??= {}
    // Merging accepts unknown members in all objects within one that keeps them. It also leaves nulls. Validation
    // rejects those of fields with a type.
    this.#schema.prune?.(decoded, { keepsInvalidNulls: true })
    this.#versions.setDefaults(decoded, this.apiVersion)
    return this.#versions.toHub(decoded, this.apiVersion)
  }

  *#convert(object: TypedObject, apiVersion: string, failure: string): Steps<TypedObject | undefined> {
    if (object.apiVersion === apiVersion) return object
    const from = this.#versions.schemaOf(object.apiVersion)
    const to = this.#versions.schemaOf(apiVersion)
    if (from === undefined || to === undefined) return undefined
    const copy = this.#decodeForConversion(from, object)
    if (this.#versions.convert === undefined) {
      const value = this.#versions.fromHub(this.#versions.toHub(copy, object.apiVersion), apiVersion)
      return { apiVersion, type: resolveMergeType(to), value: withoutManaged(value) }
    }
    try {
      const result = this.#versions.convert(copy, object.apiVersion, apiVersion)
      const value = withoutManaged(result instanceof Promise ? ((yield result) as KubeObject) : result)
      const type = resolveMergeType(to)
      validateTyped(type, value)
      return { apiVersion, type, value }
    } catch (error) {
      throw new ConversionError(`${failure}: ${getErrorMessage(error)}`, { cause: error })
    }
  }

  /**
   * Returns the object if it matches its merge schema. Throws `TypedError` otherwise. A kind without a merge schema of its own needs no check,
   * because decoding has made its objects match.
   */
  checked(object: TypedObject): TypedObject {
    if (this.#schema.mergeType !== undefined && !conforms(object.type, object.value)) {
      validateTyped(object.type, object.value, { allowsDuplicates: true })
    }
    return object
  }

  /**
   * Builds the merge schemas of an object and of its outer members in steps. A custom resource may have tens of thousands of fields there, whose
   * schemas are built on first use.
   */
  *prepareMembers({ type, value }: TypedObject): Task<void> {
    if (type.kind !== 'map' || type.prepare === undefined) return
    yield* type.prepare()
    for (const name of Object.keys(value)) {
      const member = type.byName.get(name)?.type
      if (member?.kind === 'map' && member.prepare !== undefined) yield* member.prepare()
    }
  }

  #decodeForConversion({ schema }: KindSchema, { apiVersion, value }: TypedObject): KubeObject {
    // Decoding would drop empty members of metadata, which managers may own.
    if (schema.keepsUnknown === true) return copyObject(value) as unknown as KubeObject
    try {
      return decodeStruct<KubeObject>(schema, value, { converting: true }).object
    } catch (error) {
      if (!isJsonError(error)) throw error
      throw newUnknownError(`unable to convert unstructured object to ${formatKind(apiVersion, this.#kind)}: ${error.message}`, {
        cause: error,
      })
    }
  }

  /** Formats an object for error messages: `shop/web; apps/v1, Kind=Deployment`. */
  show({ value }: Pick<TypedObject, 'value'>): string {
    const metadata = value['metadata']
    const readText = (member: string): string => {
      const value = isJsonObject(metadata) ? metadata[member] : ''
      return typeof value === 'string' ? value : ''
    }
    return `${readText('namespace')}/${readText('name')}; ${formatKind(this.apiVersion, this.#kind)}`
  }

  #wrap(value: JsonObject): TypedObject {
    return { apiVersion: this.apiVersion, type: resolveMergeType(this.#schema), value }
  }
}

/** Decodes a value that may share parts with the stored object. Nothing in the result is shared, although decoding keeps unknown members as they are. */
function decodeCopy({ schema }: KindSchema, value: JsonObject): KubeObject {
  return decodeStruct<KubeObject>(schema, schema.keepsUnknown === true ? copyObject(value) : value, { converting: true }).object
}

function resolveMergeType({ schema, mergeType }: KindSchema): MergeType {
  return mergeType ?? getMergeType(schema)
}

function withoutManaged(object: KubeObject): JsonObject {
  if (object.metadata?.managedFields === undefined) return object as unknown as JsonObject
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata } as unknown as JsonObject
}

/** Formats a kind for error messages: `apps/v1, Kind=Deployment`. */
export function formatKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
}
