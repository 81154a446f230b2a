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

/**
 * The one place where a storage's failure becomes an answer. What is not a storage's failure passes through unchanged. `asked` is the
 * resourceVersion that was asked for, of which storages may know no more than that it is too large.
 */
export function translateError(verb: StorageVerb, error: unknown, resource: GroupResource, name: string, asked?: string): unknown {
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
      return newTooLargeResourceVersion(exactly(error.revision ?? 0, asked), error.currentRevision ?? 0, 1)
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

/** Beyond 2^53 a number is only near to what was asked for. */
function exactly(revision: number, asked: string | undefined): number | bigint {
  return asked !== undefined && Number(asked) === revision ? BigInt(asked) : revision
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
