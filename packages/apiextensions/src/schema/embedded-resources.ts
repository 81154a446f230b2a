import {
  appendAll,
  copyObject,
  decodeStruct,
  fieldError,
  FieldPath,
  isDNS1035Label,
  isPathSegmentName,
  getErrorMessage,
  parseGroupVersion,
  setOwn,
  validateObjectMeta,
} from '@keelson/apimachinery'
import type { FieldError, FieldErrorList, JsonValue, ObjectMeta } from '@keelson/apimachinery'
import { metaV1 } from '@keelson/api/meta/v1'
import { Flag, has, getMemberNode } from './schema-node.ts'
import type { JsonMembers, SchemaNode } from './schema-node.ts'
import { formatForMessage } from './value-checks.ts'

type Path = FieldPath | undefined

const objectMeta = metaV1.table.resolve('ObjectMeta')

/** Returns the path of a member: that of a field for properties, and that of a key for additional properties. */
export function createMemberPath(node: SchemaNode, key: string, path: Path): FieldPath {
  return new FieldPath(key, path, node.properties?.has(key) !== true)
}

export interface CoercionOptions {
  /** True to drop fields of the wrong type, as for stored objects. By default, the first of them is an error. */
  readonly dropInvalid?: boolean
  readonly path?: FieldPath | undefined
  /** True if the value is a resource although its schema does not say so, as the outermost object. */
  readonly isResource?: boolean
}

/** Result of `coerceEmbedded`: the first field of the wrong type, and the paths of dropped fields that ObjectMeta does not have. */
export interface Coercion {
  readonly error: FieldError | undefined
  readonly unknown: readonly string[]
}

class InvalidField extends Error {
  readonly error: FieldError

  constructor(error: FieldError) {
    super(error.detail)
    this.error = error
  }
}

/** Converts the metadata of embedded resources to the canonical form, in place. Checks that their apiVersion and kind are strings. */
export function coerceEmbedded(value: JsonValue, node: SchemaNode, options: CoercionOptions = {}): Coercion {
  const unknown: string[] = []
  try {
    new Coercer(options.dropInvalid === true, unknown).coerce(value, node, { path: options.path, isResource: options.isResource === true })
  } catch (error) {
    if (!(error instanceof InvalidField)) throw error
    return { error: error.error, unknown }
  }
  return { error: undefined, unknown: unknown.sort() }
}

interface Place {
  readonly path: Path
  readonly isResource: boolean
}

class Coercer {
  readonly #dropInvalid: boolean
  readonly #unknown: string[]

  constructor(dropInvalid: boolean, unknown: string[]) {
    this.#dropInvalid = dropInvalid
    this.#unknown = unknown
  }

  coerce(value: JsonValue, node: SchemaNode | undefined, { path, isResource }: Place): void {
    if (node === undefined || typeof value !== 'object' || value === null) return
    if (!isResource && !has(node, Flag.hasEmbedded)) return
    if (Array.isArray(value)) {
      const isEmbedded = node.items !== undefined && has(node.items, Flag.isEmbedded)
      value.forEach((item, i) => this.coerce(item, node.items, { path: new FieldPath(i, path, true), isResource: isEmbedded }))
      return
    }
    for (const key in value) {
      const member = value[key]!
      if (isResource) this.#coerceMeta(value, key, path)
      const memberSchema = getMemberNode(node, key)
      if (memberSchema === undefined) continue
      this.coerce(member, memberSchema, { path: createMemberPath(node, key, path), isResource: has(memberSchema, Flag.isEmbedded) })
    }
  }

  #coerceMeta(value: JsonMembers, key: string, path: Path): void {
    if (key === 'apiVersion' || key === 'kind') {
      if (typeof value[key] === 'string') return
      if (this.#dropInvalid) delete value[key]
      else throw new InvalidField(fieldError.invalid(new FieldPath(key, path), formatForMessage(value[key]!), 'must be a string'))
    } else if (key === 'metadata') {
      const metadata = this.#coerceMetadata(value[key]!, new FieldPath(key, path))
      if (metadata !== undefined) value[key] = metadata
    }
  }

  /** Returns canonical metadata; undefined if it is left as it is, because it is not an object. */
  #coerceMetadata(value: JsonValue, path: FieldPath): JsonMembers | undefined {
    try {
      return this.#decode(value, path)
    } catch (error) {
      if (!this.#dropInvalid) throw new InvalidField(fieldError.invalid(path, formatForMessage(value), getErrorMessage(error)))
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    const valid: JsonMembers = {}
    for (const key in value) {
      try {
        decodeStruct(objectMeta, { [key]: value[key]! })
        setOwn(valid, key, value[key])
      } catch {
        // The field is dropped.
      }
    }
    return this.#decode(valid, path)
  }

  #decode(value: JsonValue, path: FieldPath): JsonMembers {
    const { object, strictErrors } = decodeStruct(objectMeta, value ?? {}, { strict: 'Strict' })
    for (const text of strictErrors) this.#unknown.push(`${path.toString()}.${text.slice(text.indexOf('"') + 1, -1)}`)
    if (object['creationTimestamp'] === null) delete object['creationTimestamp']
    return object
  }
}

/** Validates apiVersion, kind and metadata of embedded resources. */
export function validateEmbedded(value: JsonValue, node: SchemaNode | undefined, place: Partial<Place> = {}): FieldErrorList {
  const { path, isResource = false } = place
  if (node === undefined || typeof value !== 'object' || value === null) return []
  if (!isResource && !has(node, Flag.hasEmbedded)) return []
  const errors: FieldErrorList = []
  if (Array.isArray(value)) {
    const isEmbedded = node.items !== undefined && has(node.items, Flag.isEmbedded)
    value.forEach((item, i) =>
      appendAll(errors, validateEmbedded(item, node.items, { path: new FieldPath(i, path, true), isResource: isEmbedded })),
    )
    return errors
  }
  if (isResource) appendAll(errors, validateResource(value, path))
  for (const key in value) {
    const member = getMemberNode(node, key)
    if (member === undefined) continue
    appendAll(
      errors,
      validateEmbedded(value[key]!, member, { path: createMemberPath(node, key, path), isResource: has(member, Flag.isEmbedded) }),
    )
  }
  return errors
}

function validateResource(value: JsonMembers, path: Path): FieldErrorList {
  const errors: FieldErrorList = []
  for (const key of ['apiVersion', 'kind']) {
    if (!Object.hasOwn(value, key)) errors.push(fieldError.required(new FieldPath(key, path)))
  }
  for (const key in value) {
    if (key === 'apiVersion') appendAll(errors, validateTypeField(value[key]!, new FieldPath(key, path), findApiVersionProblem))
    else if (key === 'kind') appendAll(errors, validateTypeField(value[key]!, new FieldPath(key, path), findKindProblem))
    else if (key === 'metadata') appendAll(errors, validateMetadata(value[key]!, new FieldPath(key, path)))
  }
  return errors
}

function validateTypeField(value: JsonValue, path: FieldPath, problemOf: (value: string) => string | undefined): FieldErrorList {
  if (typeof value !== 'string') return [fieldError.invalid(path, formatForMessage(value), 'must be a string')]
  const problem = value === '' ? 'must not be empty' : problemOf(value)
  return problem === undefined ? [] : [fieldError.invalid(path, value, problem)]
}

function findApiVersionProblem(apiVersion: string): string | undefined {
  try {
    parseGroupVersion(apiVersion)
    return undefined
  } catch (error) {
    return getErrorMessage(error)
  }
}

function findKindProblem(kind: string): string | undefined {
  const messages = isDNS1035Label(kind.toLowerCase())
  return messages.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${messages.join(',')}`
}

function validateMetadata(value: JsonValue, path: FieldPath): FieldErrorList {
  let metadata: ObjectMeta
  try {
    metadata = decodeStruct<ObjectMeta>(objectMeta, copyObject(value) ?? {}).object
  } catch (error) {
    return [fieldError.invalid(path, formatForMessage(value), getErrorMessage(error))]
  }
  // The name is optional.
  const name = (metadata.name ?? '') === '' ? 'fakename' : metadata.name!
  const namespaced = (metadata.namespace ?? '') !== ''
  return validateObjectMeta({ ...metadata, name }, { namespaced, validateName: isPathSegmentName, path })
}
