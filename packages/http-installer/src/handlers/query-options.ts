import {
  newBadRequest,
  newInvalid,
  validateCreateOptions,
  validateDeleteOptions,
  validatePatchOptions,
  validateUpdateOptions,
} from '@keelson/apimachinery'
import type { DeleteOptions, FieldErrorList, FieldValidation } from '@keelson/apimachinery'
import type { QueryParameters } from '@keelson/exchange'
import type { WriteOptions } from '@keelson/registry'
import { parseInt64 } from './go-numbers.ts'
import { isApply } from './patch-types.ts'

/** The query parameters of create, update and patch. Throws 422 for wrong values, naming the kind of the options. */
export function parseWriteOptions(
  query: QueryParameters,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  patchType = '',
): WriteOptions {
  const options = {
    dryRun: query.getAll('dryRun'),
    fieldManager: query.get('fieldManager') ?? '',
    fieldValidation: query.get('fieldValidation') ?? '',
    ...(query.has('force') ? { force: parseLooseBoolean(query.get('force')) } : undefined),
  }
  const errors =
    kind === 'PatchOptions'
      ? validatePatchOptions(options, isApply(patchType))
      : kind === 'UpdateOptions'
        ? validateUpdateOptions(options)
        : validateCreateOptions(options)
  throwInvalid(kind, errors)
  return {
    dryRun: options.dryRun.length > 0,
    fieldManager: options.fieldManager,
    force: options.force === true,
    fieldValidation: (options.fieldValidation || 'Warn') as FieldValidation,
  }
}

/** Refuses options of meta.k8s.io. */
export function throwInvalid(kind: string, errors: FieldErrorList): void {
  if (errors.length > 0) throw newInvalid({ group: 'meta.k8s.io', kind }, '', errors)
}

/** DeleteOptions given as query parameters, for a delete without a body. Throws 400. */
export function parseDeleteOptions(query: QueryParameters): DeleteOptions {
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
export function checkDeleteOptions(options: DeleteOptions): void {
  throwInvalid('DeleteOptions', validateDeleteOptions(options))
}

/** False for no value, "false" and "0"; true for all others. */
export function parseLooseBoolean(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}

export type IncludeObject = 'None' | 'Metadata' | 'Object'

export function parseIncludeObject(query: QueryParameters): IncludeObject {
  const value = query.get('includeObject') ?? ''
  if (value === '') return 'Metadata'
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value
  throw newBadRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  )
}
