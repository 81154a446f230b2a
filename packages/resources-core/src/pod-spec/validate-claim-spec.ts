import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedLocalObjectReference,
  TypedObjectReference,
} from '@keelson/api/core/v1'
import {
  fieldError,
  isDNS1123Subdomain,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  parseQuantity,
  validateAnnotations,
  validateLabels,
  validateLabelSelector,
  wasSentEmpty,
} from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath, ObjectMeta } from '@keelson/apimachinery'
import { createInvalidErrors, validateRequired, validateSupported } from './field-rules.ts'
import { validatePositiveQuantity } from './resource-quantities.ts'

const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
export const volumeModes: readonly string[] = ['Block', 'Filesystem']

/** Options for validating a claim spec. An option is true if the stored claim already has the value that a create rejects (ratcheting). */
export interface ClaimRules {
  readonly allowInvalidSelectorValues?: boolean
  readonly allowInvalidAPIGroups?: boolean
}

export function validateClaimTemplate(template: DeepReadonly<PersistentVolumeClaimTemplate>, path: FieldPath): FieldErrorList {
  return [
    ...validateTemplateMeta(template.metadata ?? {}, path.child('metadata')),
    ...validateClaimSpec(template.spec ?? {}, path.child('spec')),
  ]
}

/** Metadata fields that a claim template must not set, each with its name in error paths. */
const forbiddenMeta: readonly (readonly [keyof ObjectMeta, string])[] = [
  ['name', 'name'],
  ['generateName', 'generateName'],
  ['namespace', 'namespace'],
  ['selfLink', 'selfLink'],
  ['uid', 'uID'],
  ['resourceVersion', 'resourceVersion'],
  ['generation', 'generation'],
  ['creationTimestamp', 'creationTimestamp'],
  ['deletionTimestamp', 'deletionTimestamp'],
  ['deletionGracePeriodSeconds', 'deletionGracePeriodSeconds'],
  ['ownerReferences', 'ownerReferences'],
  ['finalizers', 'finalizers'],
  ['managedFields', 'managedFields'],
]

export function validateTemplateMeta(meta: DeepReadonly<ObjectMeta>, path: FieldPath): FieldErrorList {
  const errors = [...validateAnnotations(meta.annotations, path.child('annotations')), ...validateLabels(meta.labels, path.child('labels'))]
  for (const [member, spelled] of forbiddenMeta) {
    if (meta[member] || (member === 'deletionGracePeriodSeconds' && meta[member] === 0) || wasSentEmpty(meta, member))
      errors.push(fieldError.forbidden(path.child(spelled), 'cannot be set'))
  }
  return errors
}

export function validateClaimSpec(spec: DeepReadonly<PersistentVolumeClaimSpec>, path: FieldPath, rules: ClaimRules = {}): FieldErrorList {
  return [
    ...validateAccess(spec, path, rules),
    ...validateStorage(spec.resources?.requests?.['storage'], path.child('resources').key('storage')),
    ...validateClassName(spec.storageClassName, path.child('storageClassName')),
    ...validateSupported(spec.volumeMode, volumeModes, path.child('volumeMode')),
    ...validateSources(spec, path, rules),
    ...validateClassName(spec.volumeAttributesClassName, path.child('volumeAttributesClassName')),
  ]
}

function validateAccess(spec: DeepReadonly<PersistentVolumeClaimSpec>, path: FieldPath, rules: ClaimRules): FieldErrorList {
  const modes = spec.accessModes ?? []
  const at = path.child('accessModes')
  const errors = modes.length === 0 ? [fieldError.required(at, 'at least 1 access mode is required')] : []
  const allowInvalidLabelValue = rules.allowInvalidSelectorValues === true
  errors.push(...validateLabelSelector(spec.selector, path.child('selector'), { allowInvalidLabelValue }))
  return [...errors, ...validateAccessModes(modes, at)]
}

export function validateAccessModes(modes: readonly string[], path: FieldPath): FieldErrorList {
  const errors = modes.flatMap((mode) => validateSupported(mode, accessModes, path))
  if (modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode))) {
    errors.push(fieldError.forbidden(path, 'may not use ReadWriteOncePod with other access modes'))
  }
  return errors
}

function validateStorage(storage: string | undefined, path: FieldPath): FieldErrorList {
  return storage === undefined ? [fieldError.required(path)] : validatePositiveQuantity(parseQuantity(storage), path)
}

/** Validates the name of a storage class or volume attributes class. The name may be empty. */
export function validateClassName(name: string | undefined, path: FieldPath): FieldErrorList {
  return name ? createInvalidErrors(nameIsDNSSubdomain(name, false), name, path) : []
}

function validateSources(spec: DeepReadonly<PersistentVolumeClaimSpec>, path: FieldPath, rules: ClaimRules): FieldErrorList {
  const { dataSource: source, dataSourceRef: ref } = spec
  const errors: FieldErrorList = []
  if (source !== undefined) errors.push(...validateSource(source, path.child('dataSource'), rules))
  if (ref !== undefined) {
    errors.push(...validateSource(ref, path.child('dataSourceRef'), rules))
    if (ref.namespace) {
      errors.push(...createInvalidErrors(nameIsDNSLabel(ref.namespace, false), ref.namespace, path.child('dataSourceRef', 'namespace')))
    }
  }
  if (source === undefined || ref === undefined) return errors
  // Upstream passes a field path as the bad value by mistake. It is printed as {}.
  if (ref.namespace) errors.push(fieldError.invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'))
  else if ((source.apiGroup ?? null) !== (ref.apiGroup ?? null) || source.kind !== ref.kind || source.name !== ref.name) {
    errors.push(fieldError.invalid(path, {}, 'must match dataSourceRef'))
  }
  return errors
}

function validateSource(
  source: DeepReadonly<TypedLocalObjectReference | TypedObjectReference>,
  path: FieldPath,
  rules: ClaimRules,
): FieldErrorList {
  const { kind = '', apiGroup } = source
  const errors = [...validateRequired(source.name, path.child('name')), ...validateRequired(kind, path.child('kind'))]
  if (!apiGroup && kind !== 'PersistentVolumeClaim') {
    errors.push(fieldError.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
  }
  if (apiGroup && rules.allowInvalidAPIGroups !== true) {
    errors.push(...createInvalidErrors(isDNS1123Subdomain(apiGroup), apiGroup, path.child('apiGroup')))
  }
  return errors
}
