import { appendAll } from './append-all.ts'
import { fieldError } from './field-error.ts'
import type { FieldErrorList } from './field-error.ts'
import type { FieldPath } from './field-path.ts'
import { byteLength, exceedsBytes, quote } from './go-text.ts'
import { validateFieldManager } from './options-validation.ts'
import type { DeepReadonly, LabelSelector, ManagedFieldsEntry, OwnerReference } from './meta.ts'
import { isQualifiedName, isValidLabelValue } from './name-format.ts'
import { groupVersionKindString, parseGroupVersion } from './name-strings.ts'

type StringMap = Readonly<Record<string, string>>

/** Maximum size of all annotations of an object, keys and values, in bytes. */
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
    // Unlike in labels, the prefix may be in upper case.
    for (const message of isQualifiedName(key.toLowerCase())) errors.push(fieldError.invalid(path, key, message))
  }
  // Avoids counting, as in `exceedsBytes`.
  if (length * 3 > totalAnnotationSizeLimit && bytesOf(annotations!) > totalAnnotationSizeLimit) {
    errors.push(fieldError.tooLong(path, totalAnnotationSizeLimit))
  }
  return errors
}

function bytesOf(annotations: StringMap): number {
  let size = 0
  for (const key in annotations) size += byteLength(key) + byteLength(annotations[key]!)
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

/** While an object is being deleted, finalizers can only be removed. */
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
  /** For stored objects whose values current rules would reject. */
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
