import { fieldError, fieldPath, newBadRequest, newInvalid } from '@keelson/apimachinery'
import type { DeleteOptions, FieldErrorList, FieldValidation } from '@keelson/apimachinery'
import { parseInt64 } from './go-numbers.ts'

const metaKind = (kind: string): { group: string; kind: string } => ({ group: 'meta.k8s.io', kind })

/** The query parameters of create, update and patch. */
export interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
}

/** Throws 400 for what cannot be read and 422 for what is not allowed, under the options' own kind. */
export function parseWriteOptions(
  query: URLSearchParams,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  patchType = '',
): WriteOptions {
  const dryRun = query.getAll('dryRun')
  const fieldManager = query.get('fieldManager') ?? ''
  const validation = query.get('fieldValidation') ?? ''
  const errors: FieldErrorList = []
  if (kind === 'PatchOptions') validateForce(query, fieldManager, patchType, errors)
  validateFieldManager(fieldManager, errors)
  validateDryRun(dryRun, errors)
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(validation)) {
    errors.push(fieldError.notSupported(fieldPath('fieldValidation'), validation, ['', 'Ignore', 'Strict', 'Warn']))
  }
  if (errors.length > 0) throw newInvalid(metaKind(kind), '', errors)
  return { dryRun: dryRun.length > 0, fieldManager, fieldValidation: (validation || 'Warn') as FieldValidation }
}

function validateForce(query: URLSearchParams, fieldManager: string, patchType: string, errors: FieldErrorList): void {
  if (patchType === 'application/apply-patch+yaml') {
    if (fieldManager === '') errors.push(fieldError.required(fieldPath('fieldManager'), 'is required for apply patch'))
  } else if (query.has('force')) {
    errors.push(fieldError.forbidden(fieldPath('force'), 'may not be specified for non-apply patch'))
  }
}

function validateFieldManager(value: string, errors: FieldErrorList): void {
  const path = fieldPath('fieldManager')
  if (Buffer.byteLength(value) > 128) errors.push(fieldError.tooLong(path, 128))
  let position = 0
  for (const character of value) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) {
      const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
      errors.push(fieldError.invalid(path, value, `invalid character U+${code} (at position ${position})`))
    }
    position += Buffer.byteLength(character)
  }
}

function validateDryRun(dryRun: readonly string[], errors: FieldErrorList): void {
  if (dryRun.some((value) => value !== 'All')) errors.push(fieldError.notSupported(fieldPath('dryRun'), dryRun, ['All']))
}

const policies = ['Foreground', 'Background', 'Orphan']

/** DeleteOptions given as query parameters, for a delete without a body. Throws 400. */
export function parseDeleteOptions(query: URLSearchParams): DeleteOptions {
  const options: DeleteOptions = {}
  const grace = query.get('gracePeriodSeconds')
  if (grace !== null) options.gracePeriodSeconds = parseInt64(grace)
  const orphan = query.get('orphanDependents')
  if (orphan !== null) options.orphanDependents = parseLooseBoolean(orphan)
  const policy = query.get('propagationPolicy')
  if (policy !== null) options.propagationPolicy = policy
  if (query.has('dryRun')) options.dryRun = query.getAll('dryRun')
  const uid = query.get('uid')
  const resourceVersion = query.get('resourceVersion')
  if (uid || resourceVersion)
    options.preconditions = { ...(uid ? { uid } : undefined), ...(resourceVersion ? { resourceVersion } : undefined) }
  return options
}

/** Throws 422. */
export function validateDeleteOptions(options: DeleteOptions): void {
  const errors: FieldErrorList = []
  const { orphanDependents, propagationPolicy } = options
  const path = fieldPath('propagationPolicy')
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.push(fieldError.invalid(path, propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'))
  }
  if (propagationPolicy !== undefined && !policies.includes(propagationPolicy)) {
    errors.push(fieldError.notSupported(path, propagationPolicy, [...policies, 'nil']))
  }
  validateDryRun(options.dryRun ?? [], errors)
  if (errors.length > 0) throw newInvalid(metaKind('DeleteOptions'), '', errors)
}

/** Only the absence of a value, "false" and "0" are false. */
export function parseLooseBoolean(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}

export type IncludeObject = 'None' | 'Metadata' | 'Object'

export function parseIncludeObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? ''
  if (value === '') return 'Metadata'
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value
  throw newBadRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  )
}
