import { fieldError, newFieldPath } from './field-error.ts'
import type { FieldErrorList, FieldPath } from './field-error.ts'
import { measureUtf8Bytes, exceedsBytes } from './go-text.ts'
import type { DeepReadonly, DeleteOptions } from './meta.ts'

/** Options of create and update requests. */
export interface WriteOptions {
  readonly dryRun?: readonly string[]
  readonly fieldManager?: string
  /** Field validation: "", "Ignore", "Warn" or "Strict". */
  readonly fieldValidation?: string
}

export interface PatchOptions extends WriteOptions {
  readonly force?: boolean
}

/** Options of list and watch requests whose valid values depend on each other. */
export interface ListOptions {
  readonly watch?: boolean
  readonly resourceVersion?: string
  readonly resourceVersionMatch?: string
  readonly continue?: string
  readonly sendInitialEvents?: boolean
}

const maxFieldManagerLength = 128

export function validateCreateOptions(options: WriteOptions): FieldErrorList {
  return [
    ...validateFieldManager(options.fieldManager ?? '', newFieldPath('fieldManager')),
    ...validateDryRun(options.dryRun ?? [], newFieldPath('dryRun')),
    ...validateFieldValidation(options.fieldValidation ?? '', newFieldPath('fieldValidation')),
  ]
}

export function validateUpdateOptions(options: WriteOptions): FieldErrorList {
  return validateCreateOptions(options)
}

/** Validates the options of a patch request. `apply` is true for server-side apply. */
export function validatePatchOptions(options: PatchOptions, apply: boolean): FieldErrorList {
  const errors: FieldErrorList = []
  if (apply) {
    if ((options.fieldManager ?? '') === '') errors.push(fieldError.required(newFieldPath('fieldManager'), 'is required for apply patch'))
  } else if (options.force !== undefined) {
    errors.push(fieldError.forbidden(newFieldPath('force'), 'may not be specified for non-apply patch'))
  }
  return [...errors, ...validateCreateOptions(options)]
}

const propagationPolicies = ['Foreground', 'Background', 'Orphan']

export function validateDeleteOptions(options: DeepReadonly<DeleteOptions>): FieldErrorList {
  const errors: FieldErrorList = []
  const { propagationPolicy: policy, orphanDependents } = options
  const path = newFieldPath('propagationPolicy')
  if (orphanDependents !== undefined && policy !== undefined) {
    errors.push(fieldError.invalid(path, policy, 'orphanDependents and deletionPropagation cannot be both set'))
  }
  if (policy !== undefined && !propagationPolicies.includes(policy)) {
    errors.push(fieldError.notSupported(path, policy, [...propagationPolicies, 'nil']))
  }
  errors.push(...validateDryRun(options.dryRun ?? [], newFieldPath('dryRun')))
  if (options.ignoreStoreReadErrorWithClusterBreakingPotential) errors.push(...validateUnreadableDelete(options))
  return errors
}

/** Rejects options that must not be combined with `ignoreStoreReadErrorWithClusterBreakingPotential`. */
function validateUnreadableDelete(options: DeepReadonly<DeleteOptions>): FieldErrorList {
  const path = newFieldPath('ignoreStoreReadErrorWithClusterBreakingPotential')
  const deleteMembers: (keyof DeleteOptions)[] = ['propagationPolicy', 'orphanDependents', 'gracePeriodSeconds', 'preconditions']
  const conflictingOptions = [
    ...((options.dryRun?.length ?? 0) > 0 ? ['dryRun'] : []),
    ...deleteMembers.filter((name) => options[name] !== undefined),
  ]
  return conflictingOptions.map((name) => fieldError.invalid(path, true, `cannot be set together with .${name}`))
}

export function validateListOptions(options: ListOptions): FieldErrorList {
  return options.watch ? validateWatch(options) : validateList(options)
}

function validateList(options: ListOptions): FieldErrorList {
  const errors: FieldErrorList = []
  const match = options.resourceVersionMatch ?? ''
  const path = newFieldPath('resourceVersionMatch')
  if (match !== '') {
    if (!options.resourceVersion) {
      errors.push(fieldError.forbidden(path, 'resourceVersionMatch is forbidden unless resourceVersion is provided'))
    }
    if (options.continue) errors.push(fieldError.forbidden(path, 'resourceVersionMatch is forbidden when continue is provided'))
    if (match !== 'Exact' && match !== 'NotOlderThan') errors.push(fieldError.notSupported(path, match, ['Exact', 'NotOlderThan', '']))
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(fieldError.forbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(fieldError.forbidden(newFieldPath('sendInitialEvents'), 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

function validateWatch(options: ListOptions): FieldErrorList {
  const errors: FieldErrorList = []
  const match = options.resourceVersionMatch ?? ''
  const path = newFieldPath('resourceVersionMatch')
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(fieldError.forbidden(path, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
  }
  if (match !== '') {
    if (options.sendInitialEvents === undefined) {
      errors.push(fieldError.forbidden(path, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'))
    }
    if (match !== 'NotOlderThan') errors.push(fieldError.notSupported(path, match, ['NotOlderThan']))
    if (options.continue) errors.push(fieldError.forbidden(path, 'resourceVersionMatch is forbidden when continue is provided'))
  }
  return errors
}

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

/** Validates the name of a field manager, which must be short and printable. Positions in the error messages count bytes. */
export function validateFieldManager(manager: string, path: FieldPath): FieldErrorList {
  const errors: FieldErrorList = []
  if (exceedsBytes(manager, maxFieldManagerLength)) errors.push(fieldError.tooLong(path, maxFieldManagerLength))
  if (printable.test(manager)) return errors
  let position = 0
  for (const char of manager) {
    if (!printable.test(char)) {
      const code = char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
      errors.push(fieldError.invalid(path, manager, `invalid character U+${code} (at position ${position})`))
    }
    position += measureUtf8Bytes(char)
  }
  return errors
}

export function validateDryRun(dryRun: readonly string[], path: FieldPath): FieldErrorList {
  return dryRun.every((value) => value === 'All') ? [] : [fieldError.notSupported(path, dryRun, ['All'])]
}

const fieldValidations = ['', 'Ignore', 'Strict', 'Warn']

export function validateFieldValidation(value: string, path: FieldPath): FieldErrorList {
  return fieldValidations.includes(value) ? [] : [fieldError.notSupported(path, value, fieldValidations)]
}
