import { newUnknownError } from '../api-errors.ts'
import { decodeStruct } from '../decode-struct.ts'
import { isJsonError } from '../json-error.ts'
import { isJsonObject } from '../json-object.ts'
import type { JsonObject, KubeObject } from '../meta.ts'
import type { GroupVersionKind } from '../names.ts'
import type { StructSchema } from '../type-schema.ts'
import { mergeTypeOf } from './merge-type.ts'
import type { MergeType } from './merge-type.ts'
import { TypedError } from './typed-error.ts'
import type { ConvertTyped, TypedObject } from './typed-object.ts'
import { validateTyped } from './validate-typed.ts'

/** What a field manager must be told of a kind and its versions. Versions are written as in `apiVersion`. */
export interface VersionedKind {
  /** Undefined when that version has no such kind. */
  schemaOf(apiVersion: string): StructSchema | undefined
  /** Must not change its argument. */
  fromHub(object: KubeObject, apiVersion: string): KubeObject
  /** May change its argument. */
  toHub(object: KubeObject, apiVersion: string): KubeObject
  setDefaults(object: KubeObject, apiVersion: string): void
}

/** The way between objects in their hub form and what sets of fields are about: the object in one version. */
export class TypedKind {
  readonly apiVersion: string
  readonly #kind: string
  readonly #versions: VersionedKind
  readonly #schema: StructSchema
  #empty: TypedObject | undefined

  /** Throws for a kind that has no schema in its own version. */
  constructor({ group, version, kind }: GroupVersionKind, versions: VersionedKind) {
    this.apiVersion = group === '' ? version : `${group}/${version}`
    this.#kind = kind
    this.#versions = versions
    const schema = versions.schemaOf(this.apiVersion)
    if (schema === undefined) throw new TypeError(`no schema of ${kind} in ${this.apiVersion}`)
    this.#schema = schema
  }

  /** Undefined for a version that has no such kind. */
  typeIn(apiVersion: string): MergeType | undefined {
    const schema = this.#versions.schemaOf(apiVersion)
    return schema && mergeTypeOf(schema)
  }

  /** Undefined: a new object of the kind, with nothing in it. */
  typed(object: KubeObject | undefined): TypedObject {
    if (object !== undefined) return this.#wrap(withoutManaged(this.#versions.fromHub(object, this.apiVersion)))
    return (this.#empty ??= this.#wrap(decodeStruct(this.#schema, {}).object))
  }

  /** A configuration with kind and apiVersion, which are looked at elsewhere. Throws `ApiError` when it does not fit. */
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

  /** Defaulted. Throws `ApiError` for values of `config` that only decoding finds wrong. */
  toHub(object: TypedObject, config: JsonObject): KubeObject {
    let decoded: KubeObject
    try {
      decoded = decodeStruct<KubeObject>(this.#schema, object.value, { converting: true }).object
    } catch (error) {
      if (!isJsonError(error)) throw error
      const why = `unable to convert unstructured object to ${showKind(this.apiVersion, this.#kind)}: ${error.message}`
      throw newUnknownError(`failed to convert new object (${this.show({ value: config })}) to proper version: ${why}`, { cause: error })
    }
    decoded.metadata ??= {}
    this.#versions.setDefaults(decoded, this.apiVersion)
    return this.#versions.toHub(decoded, this.apiVersion)
  }

  readonly convert: ConvertTyped = (object, apiVersion) => {
    if (object.apiVersion === apiVersion) return object
    const from = this.#versions.schemaOf(object.apiVersion)
    const to = this.#versions.schemaOf(apiVersion)
    if (from === undefined || to === undefined) return undefined
    const copy = this.#decodeForConversion(from, object)
    const value = this.#versions.fromHub(this.#versions.toHub(copy, object.apiVersion), apiVersion)
    return { apiVersion, type: mergeTypeOf(to), value: withoutManaged(value) }
  }

  #decodeForConversion(schema: StructSchema, { apiVersion, value }: TypedObject): KubeObject {
    try {
      return decodeStruct<KubeObject>(schema, value, { converting: true }).object
    } catch (error) {
      if (!isJsonError(error)) throw error
      throw newUnknownError(`unable to convert unstructured object to ${showKind(apiVersion, this.#kind)}: ${error.message}`, {
        cause: error,
      })
    }
  }

  /** As messages name an object: `shop/web; apps/v1, Kind=Deployment`. */
  show({ value }: Pick<TypedObject, 'value'>): string {
    const metadata = value['metadata']
    const text = (member: string): string => {
      const found = isJsonObject(metadata) ? metadata[member] : ''
      return typeof found === 'string' ? found : ''
    }
    return `${text('namespace')}/${text('name')}; ${showKind(this.apiVersion, this.#kind)}`
  }

  #wrap(value: JsonObject): TypedObject {
    return { apiVersion: this.apiVersion, type: mergeTypeOf(this.#schema), value }
  }
}

function withoutManaged(object: KubeObject): JsonObject {
  if (object.metadata?.managedFields === undefined) return object as unknown as JsonObject
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata } as unknown as JsonObject
}

/** `apps/v1, Kind=Deployment`. */
export function showKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
}
