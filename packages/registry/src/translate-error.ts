import {
  isApiError,
  newAlreadyExists,
  newBadRequest,
  newConflict,
  newInternal,
  newNotFound,
  newResourceExpired,
  newServerTimeout,
  newTooLargeResourceVersion,
} from '@keelson/apimachinery'
import type { GroupResource } from '@keelson/apimachinery'
import { isStorageError } from '@keelson/storagebackend'
import type { StorageError } from '@keelson/storagebackend'

export type StorageVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'delete'

/** The one place where a storage's failure becomes an answer. What is not a storage's failure passes through unchanged. */
export function translateError(verb: StorageVerb, error: unknown, resource: GroupResource, name: string): unknown {
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
      return newTooLargeResourceVersion(error.revision ?? 0, error.currentRevision ?? 0, 1)
    case 'ResourceVersionTooOld':
      return expired(error)
    case 'InvalidContinueToken':
      return newBadRequest(error.message, { cause: error })
    case 'Unreachable':
      return verb === 'watch' ? newInternal(error.message, { cause: error }) : newServerTimeout(resource, verb, 2)
    case 'Corrupt':
    case 'Internal':
      return newInternal(error.message, { cause: error })
    default:
      return error
  }
}

export function isNotFoundInStorage(error: unknown): boolean {
  return isStorageError(error) && error.code === 'KeyNotFound'
}

/** Goes on with a token for the rest of a list, where the storage offers one. */
function expired(error: StorageError): unknown {
  const answer = newResourceExpired(error.message)
  if (error.continue !== undefined) answer.status.metadata.continue = error.continue
  return answer
}
