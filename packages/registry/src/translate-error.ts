import {
  ApiError,
  groupResourceString,
  isApiError,
  newAlreadyExists,
  newBadRequest,
  newConflict,
  newInternal,
  newNotFound,
  newRequestEntityTooLarge,
  newResourceExpired,
  newServerTimeout,
  newTooLargeResourceVersion,
  newTooManyRequests,
  newUnknownError,
} from '@keelson/apimachinery'
import type { GroupResource, StatusCause } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { StorageError } from '@keelson/storagebackend'

/** The verb of the failed request, which determines the API error. */
export type StorageVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'delete'

/**
 * Translates a `StorageError` into an `ApiError`, and returns all other errors unchanged. `requestedVersion` is the resourceVersion of the
 * request. It is printed exactly, while a storage rounds numbers beyond 2^53.
 */
export function translateError(
  verb: StorageVerb,
  error: unknown,
  resource: GroupResource,
  name: string,
  requestedVersion?: string,
): unknown {
  if (isApiError(error) || !isStorageError(error)) return error
  switch (error.code) {
    case 'KeyNotFound':
      return verb === 'create' ? error : newNotFound(resource, verb === 'list' ? '' : name)
    case 'KeyExists':
      return verb === 'create' ? newAlreadyExists(resource, name) : newConflict(resource, name, error.message)
    case 'ResourceVersionConflict':
    case 'InvalidObject':
      return newConflict(resource, name, error.message)
    case 'ResourceVersionTooLarge':
      return newTooLargeResourceVersion(pickExactRevision(error.revision ?? 0, requestedVersion), error.currentRevision ?? 0, 1)
    case 'ResourceVersionTooOld':
      return newExpiredError(error)
    case 'InvalidContinueToken':
    case 'BadRequest':
      return newBadRequest(error.message, { cause: error })
    case 'UnparsableResourceVersion':
    case 'ConversionFailed':
      return newUnknownError(error.message, { cause: error })
    case 'ObjectTooLarge':
      return newRequestEntityTooLarge(error.message)
    case 'Unreachable':
      return verb === 'watch' ? newInternal(error.message, { cause: error }) : newServerTimeout(resource, verb, 2)
    case 'Corrupt':
    case 'Internal':
      return newInternal(error.message, { cause: error })
    case 'UnreadableObjects':
      return newUnreadableObjectsError(error, resource)
    case 'UnreadableDeletion':
      return new ApiError({ reason: 'StoreReadError', message: error.message, cause: error })
    case 'NotReady':
      return newTooManyRequests(error.message, 1)
    default:
      return error
  }
}

/** Returns the requested version exactly if the storage had to round it. Otherwise returns `revision`. */
function pickExactRevision(revision: number, requestedVersion: string | undefined): number | bigint {
  return requestedVersion !== undefined && Number(requestedVersion) === revision ? BigInt(requestedVersion) : revision
}

/** Returns true if the error means that the storage has no object with the requested key. */
export function isNotFoundInStorage(error: unknown): boolean {
  return isStorageError(error) && error.code === 'KeyNotFound'
}

/** Returns the error 410 Expired. It has a token for the rest of the list if the storage provides one. */
function newExpiredError(error: StorageError): ApiError {
  const error410 = newResourceExpired(error.message)
  if (error.continue !== undefined) error410.status.metadata.continue = error.continue
  return error410
}

/** Returns an API error that lists the unreadable objects of a failed list. */
function newUnreadableObjectsError(error: StorageError, resource: GroupResource): ApiError {
  const { objects = [], isTruncated = false } = error.unreadable ?? {}
  const causes: StatusCause[] = objects.map(({ key, message }) => ({ reason: 'UnexpectedServerResponse', message, field: key }))
  if (isTruncated) causes.push({ reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' })
  const { group, resource: kind } = resource
  return new ApiError({
    reason: 'StoreReadError',
    message: `failed to read one or more ${groupResourceString(resource)} from the storage`,
    details: { name: 'list', ...(group !== '' && { group }), kind, causes },
    cause: error,
  })
}
