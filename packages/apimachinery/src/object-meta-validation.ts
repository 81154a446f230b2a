import { appendAll } from './append-all.ts'
import { fieldError } from './field-error.ts'
import type { FieldErrorList } from './field-error.ts'
import { fieldPath } from './field-path.ts'
import type { FieldPath } from './field-path.ts'
import type { DeepReadonly, ObjectMeta } from './meta.ts'
import {
  validateAnnotations,
  validateFinalizers,
  validateLabels,
  validateManagedFields,
  validateNoNewFinalizers,
  validateOwnerReferences,
} from './metadata-validation.ts'
import { nameIsDNSLabel, nameIsDNSSubdomain } from './name-format.ts'
import type { Messages } from './name-format.ts'

export interface ObjectMetaRules {
  readonly namespaced: boolean
  /** Default: a DNS subdomain. `prefix` is true for generateName. */
  readonly validateName?: (name: string, prefix: boolean) => Messages
  /** Default: `metadata`. */
  readonly path?: FieldPath
}

export const immutableMessage: string = 'field is immutable'
export const notNegativeMessage: string = 'must be greater than or equal to 0'

const metadataPath = fieldPath('metadata')

/** Validates metadata of a new object, after name generation. */
export function validateObjectMeta(meta: DeepReadonly<ObjectMeta>, rules: ObjectMetaRules): FieldErrorList {
  const { namespaced, validateName = nameIsDNSSubdomain, path = metadataPath } = rules
  const errors: FieldErrorList = []
  const { name = '', generateName = '', namespace = '', generation = 0 } = meta
  if (generateName !== '') {
    for (const message of validateName(generateName, true))
      errors.push(fieldError.invalid(path.child('generateName'), generateName, message))
  }
  if (name === '') errors.push(fieldError.required(path.child('name'), 'name or generateName is required'))
  else for (const message of validateName(name, false)) errors.push(fieldError.invalid(path.child('name'), name, message))
  appendAll(errors, validateNamespace(namespace, namespaced, path))
  if (generation < 0) errors.push(fieldError.invalid(path.child('generation'), generation, notNegativeMessage))
  appendAll(errors, validateDescription(meta, path))
  if (meta.finalizers !== undefined) appendAll(errors, validateFinalizers(meta.finalizers, path.child('finalizers')))
  appendAll(errors, validateManagers(meta, path))
  return errors
}

function validateNamespace(namespace: string, namespaced: boolean, path: FieldPath): FieldErrorList {
  if (!namespaced) return namespace === '' ? [] : [fieldError.forbidden(path.child('namespace'), 'not allowed on this type')]
  if (namespace === '') return [fieldError.required(path.child('namespace'))]
  const messages = nameIsDNSLabel(namespace, false)
  return messages.length === 0 ? [] : messages.map((message) => fieldError.invalid(path.child('namespace'), namespace, message))
}

/** Validates the parts that apply to new and changed objects. */
function validateDescription({ labels, annotations, ownerReferences }: DeepReadonly<ObjectMeta>, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  if (labels !== undefined) appendAll(errors, validateLabels(labels, path.child('labels')))
  if (annotations !== undefined) appendAll(errors, validateAnnotations(annotations, path.child('annotations')))
  if (ownerReferences !== undefined) appendAll(errors, validateOwnerReferences(ownerReferences, path.child('ownerReferences')))
  return errors
}

function validateManagers({ managedFields }: DeepReadonly<ObjectMeta>, path: FieldPath): FieldErrorList {
  return managedFields === undefined ? [] : validateManagedFields(managedFields, path.child('managedFields'))
}

/** Validates changes of metadata from `old` to `meta`. Does not validate the format of finalizers again. */
export function validateObjectMetaUpdate(
  meta: DeepReadonly<ObjectMeta>,
  old: DeepReadonly<ObjectMeta>,
  path: FieldPath = metadataPath,
): FieldErrorList {
  const errors: FieldErrorList = []
  if (old.deletionTimestamp !== undefined) {
    appendAll(errors, validateNoNewFinalizers(meta.finalizers ?? [], old.finalizers ?? [], path.child('finalizers')))
  }
  if ((meta.resourceVersion ?? '') === '') {
    errors.push(fieldError.invalid(path.child('resourceVersion'), '', 'must be specified for an update'))
  }
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(fieldError.invalid(path.child('generation'), meta.generation ?? 0, 'must not be decremented'))
  }
  const immutable = (member: keyof ObjectMeta, absent: string | null): void => {
    if (meta[member] === old[member]) return
    appendAll(errors, validateImmutableField(meta[member] ?? absent, old[member] ?? absent, path.child(member)))
  }
  immutable('name', '')
  immutable('namespace', '')
  immutable('uid', '')
  immutable('creationTimestamp', null)
  immutable('deletionTimestamp', null)
  immutable('deletionGracePeriodSeconds', null)
  appendAll(errors, validateDescription(meta, path))
  appendAll(errors, validateManagers(meta, path))
  return errors
}

export function validateNonNegative(value: number, path: FieldPath): FieldErrorList {
  return value < 0 ? [fieldError.invalid(path, value, notNegativeMessage)] : []
}

/** `undefined` counts as null, meaning absent. */
export function validateImmutableField(value: unknown, old: unknown, path: FieldPath): FieldErrorList {
  return semanticEqual(value, old) ? [] : [fieldError.invalid(path, value ?? null, immutableMessage)]
}

/**
 * Deep equality that treats absent and empty lists alike, as upstream's Semantic.DeepEqual. An absent object and `{}` differ, like a struct
 * behind a pointer. To compare maps, pass `map ?? {}`.
 */
export function semanticEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) || Array.isArray(b)) {
    const left = a ?? []
    const right = b ?? []
    if (!Array.isArray(left) || !Array.isArray(right)) return false
    return left.length === right.length && left.every((item, i) => semanticEqual(item, right[i]))
  }
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b)
  if (typeof a !== 'object' || typeof b !== 'object') return false
  const left = a as Members
  const right = b as Members
  for (const key in left) if (!semanticEqual(left[key], Object.hasOwn(right, key) ? right[key] : undefined)) return false
  for (const key in right) if (!Object.hasOwn(left, key) && !semanticEqual(undefined, right[key])) return false
  return true
}

type Members = { readonly [key: string]: unknown }

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}
