import { appendAll, fieldError, newFieldPath } from './field-error.ts'
import type { FieldErrorList, FieldPath } from './field-error.ts'
import { measureUtf8Bytes, exceedsBytes, quote } from './go-text.ts'
import type { DeepReadonly, LabelSelector, ManagedFieldsEntry, ObjectMeta, OwnerReference } from './meta.ts'
import { isQualifiedName, isValidLabelValue, nameIsDNSLabel, nameIsDNSSubdomain } from './name-format.ts'
import type { Messages } from './name-format.ts'
import { groupVersionKindString, parseGroupVersion } from './names.ts'
import { validateFieldManager } from './options-validation.ts'

export interface ObjectMetaRules {
  readonly namespaced: boolean
  /** Validates the name. `prefix` is true for generateName. Default: the name must be a DNS subdomain. */
  readonly validateName?: (name: string, prefix: boolean) => Messages
  /** Path of the metadata in error messages. Default: `metadata`. */
  readonly path?: FieldPath
}

export const immutableMessage: string = 'field is immutable'
export const notNegativeMessage: string = 'must be greater than or equal to 0'

const metadataPath = newFieldPath('metadata')

/** Validates the metadata of a new object, after `generateName` was replaced by a name. */
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

/** Validates labels, annotations and owner references, which have the same rules in new and in changed objects. */
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

/** Validates a change of metadata from `old` to `meta`. Does not check the format of finalizers that `old` already has. */
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
  const checkImmutable = (member: keyof ObjectMeta, absent: string | null): void => {
    if (meta[member] === old[member]) return
    appendAll(errors, validateImmutableField(meta[member] ?? absent, old[member] ?? absent, path.child(member)))
  }
  checkImmutable('name', '')
  checkImmutable('namespace', '')
  checkImmutable('uid', '')
  checkImmutable('creationTimestamp', null)
  checkImmutable('deletionTimestamp', null)
  checkImmutable('deletionGracePeriodSeconds', null)
  appendAll(errors, validateDescription(meta, path))
  appendAll(errors, validateManagers(meta, path))
  return errors
}

export function validateNonNegative(value: number, path: FieldPath): FieldErrorList {
  return value < 0 ? [fieldError.invalid(path, value, notNegativeMessage)] : []
}

/** Rejects the change of an immutable field. `undefined` and null both mean that the field is absent. */
export function validateImmutableField(value: unknown, old: unknown, path: FieldPath): FieldErrorList {
  return equalsSemantically(value, old) ? [] : [fieldError.invalid(path, value ?? null, immutableMessage)]
}

/**
 * Returns whether two values are deeply equal, with the rules of upstream's Semantic.DeepEqual. An absent list equals an empty one. An absent
 * object and `{}` differ, as for a pointer to a struct. To compare maps, pass `map ?? {}`.
 */
export function equalsSemantically(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) || Array.isArray(b)) {
    const left = a ?? []
    const right = b ?? []
    if (!Array.isArray(left) || !Array.isArray(right)) return false
    return left.length === right.length && left.every((item, i) => equalsSemantically(item, right[i]))
  }
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b)
  if (typeof a !== 'object' || typeof b !== 'object') return false
  const left = a as Members
  const right = b as Members
  for (const key in left) if (!equalsSemantically(left[key], Object.hasOwn(right, key) ? right[key] : undefined)) return false
  for (const key in right) if (!Object.hasOwn(left, key) && !equalsSemantically(undefined, right[key])) return false
  return true
}

type Members = { readonly [key: string]: unknown }

function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null
}

type StringMap = Readonly<Record<string, string>>

/** Maximum total size of the annotations of an object in bytes, including keys. */
export const totalAnnotationSizeLimit: number = 256 * 1024

export function validateLabelName(name: string, path: FieldPath): FieldErrorList {
  return isQualifiedName(name).map((message) => fieldError.invalid(path, name, message))
}

export function validateLabels(labels: StringMap | undefined, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  for (const key in labels) {
    const value = labels[key]!
    for (const message of isQualifiedName(key)) errors.push(fieldError.invalid(path, key, message))
    for (const message of isValidLabelValue(value)) errors.push(fieldError.invalid(path, value, message))
  }
  return errors
}

export function validateAnnotations(annotations: StringMap | undefined, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  let length = 0
  for (const key in annotations) {
    length += key.length + annotations[key]!.length
    // Unlike in labels, the prefix of an annotation's key may be in upper case.
    for (const message of isQualifiedName(key.toLowerCase())) errors.push(fieldError.invalid(path, key, message))
  }
  // Counts the bytes only if the number of UTF-16 units does not decide, as in `exceedsBytes`.
  if (length * 3 > totalAnnotationSizeLimit && measureAnnotations(annotations!) > totalAnnotationSizeLimit) {
    errors.push(fieldError.tooLong(path, totalAnnotationSizeLimit))
  }
  return errors
}

function measureAnnotations(annotations: StringMap): number {
  let size = 0
  for (const key in annotations) size += measureUtf8Bytes(key) + measureUtf8Bytes(annotations[key]!)
  return size
}

export function validateOwnerReferences(references: DeepReadonly<OwnerReference[]> | undefined, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  let controller: string | undefined
  for (const reference of references ?? []) {
    errors.push(...validateOwnerReference(reference, path))
    if (reference.controller !== true) continue
    const name = `${reference.kind}/${reference.name}`
    if (controller === undefined) controller = name
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`
      errors.push(fieldError.invalid(path, references, detail))
    }
  }
  return errors
}

function validateOwnerReference(reference: DeepReadonly<OwnerReference>, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference
  const gv = groupVersionOrEmpty(apiVersion)
  if (gv.version === '') errors.push(fieldError.invalid(path.child('apiVersion'), apiVersion, 'version must not be empty'))
  for (const [member, value] of Object.entries({ kind, name, uid })) {
    if (value === '') errors.push(fieldError.invalid(path.child(member), '', 'must not be empty'))
  }
  if (gv.group === '' && gv.version === 'v1' && kind === 'Event') {
    errors.push(fieldError.invalid(path, reference, `${groupVersionKindString({ ...gv, kind })} is disallowed from being an owner`))
  }
  return errors
}

function groupVersionOrEmpty(apiVersion: string): { group: string; version: string } {
  try {
    return parseGroupVersion(apiVersion)
  } catch {
    return { group: '', version: '' }
  }
}

export function validateFinalizerName(name: string, path: FieldPath): FieldErrorList {
  return isQualifiedName(name).map((message) => fieldError.invalid(path, name, message))
}

export function validateFinalizers(finalizers: readonly string[] | undefined, path: FieldPath): FieldErrorList {
  const list = finalizers ?? []
  const errors = list.flatMap((name) => validateFinalizerName(name, path))
  if (list.includes('orphan') && list.includes('foregroundDeletion')) {
    errors.push(fieldError.invalid(path, list, 'finalizer orphan and foregroundDeletion cannot be both set'))
  }
  return errors
}

/** Rejects finalizers that are added to an object that is being deleted. */
export function validateNoNewFinalizers(finalizers: readonly string[], old: readonly string[], path: FieldPath): FieldErrorList {
  const before = new Set(old)
  const extra = [...new Set(finalizers)].filter((name) => !before.has(name)).sort()
  if (extra.length === 0) return []
  const list = `[]string{${extra.map(quote).join(', ')}}`
  return [fieldError.forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`)]
}

const maxSubresourceLength = 256

export function validateManagedFields(entries: DeepReadonly<ManagedFieldsEntry[]> | undefined, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  if (entries === undefined) return errors
  for (let i = 0; i < entries.length; i++) appendAll(errors, validateManagedEntry(entries[i]!, path.index(i)))
  return errors
}

function validateManagedEntry(entry: DeepReadonly<ManagedFieldsEntry>, at: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  const { operation = '', fieldsType = '', manager = '', subresource = '' } = entry
  if (operation !== 'Apply' && operation !== 'Update') {
    errors.push(fieldError.invalid(at.child('operation'), operation, 'must be `Apply` or `Update`'))
  }
  if (fieldsType !== '' && fieldsType !== 'FieldsV1')
    errors.push(fieldError.invalid(at.child('fieldsType'), fieldsType, 'must be `FieldsV1`'))
  errors.push(...validateFieldManager(manager, at.child('manager')))
  if (exceedsBytes(subresource, maxSubresourceLength)) errors.push(fieldError.tooLong(at.child('subresource'), maxSubresourceLength))
  return errors
}

export interface LabelSelectorValidationOptions {
  /** True to accept invalid label values, which stored objects may contain. */
  readonly allowInvalidLabelValue?: boolean
  readonly allowUnknownOperator?: boolean
}

export function validateLabelSelector(
  selector: DeepReadonly<LabelSelector> | undefined,
  path: FieldPath,
  options: LabelSelectorValidationOptions = {},
): FieldErrorList {
  if (selector === undefined) return []
  const errors = validateLabels(selector.matchLabels, path.child('matchLabels'))
  const expressions = selector.matchExpressions ?? []
  expressions.forEach((expression, i) => {
    const at = path.child('matchExpressions').index(i)
    const { key = '', operator = '', values = [] } = expression
    const valuesPath = at.child('values')
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length === 0) errors.push(fieldError.required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"))
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length > 0)
        errors.push(fieldError.forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
    } else if (!options.allowUnknownOperator) {
      errors.push(fieldError.invalid(at.child('operator'), operator, 'not a valid selector operator'))
    }
    errors.push(...validateLabelName(key, at.child('key')))
    if (options.allowInvalidLabelValue) return
    values.forEach((value, j) => {
      for (const message of isValidLabelValue(value)) errors.push(fieldError.invalid(valuesPath.index(j), value, message))
    })
  })
  return errors
}
