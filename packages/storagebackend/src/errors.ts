import type { Revision } from './backend.ts'
import type { StorageErrorCode, StorageErrorDetails, UnreadableDetails } from './storage.ts'

/** kube-apiserver's code numbers and texts of storage errors. Clients see them in conflict messages. */
const upstreamErrors: Partial<Record<StorageErrorCode, readonly [number, string]>> = {
  KeyNotFound: [1, 'key not found'],
  KeyExists: [2, 'key exists'],
  ResourceVersionConflict: [3, 'resource version conflicts'],
  InvalidObject: [4, 'invalid object'],
  Unreachable: [5, 'server unreachable'],
  Corrupt: [7, 'corrupt object'],
}

export interface StorageErrorInit extends StorageErrorDetails {
  /** Text that is appended to the fixed text of the code. For a code without a fixed text, it is the whole message. */
  readonly message?: string
  readonly cause?: unknown
}

/**
 * An error of a `Storage`. Its message has kube-apiserver's text where clients can see it (`StorageError: invalid object, Code: 4, Key:
 * …`). For invalid list options, invalid continue tokens and old versions, the message is the whole error text for the client.
 */
export class StorageError extends Error implements StorageErrorDetails {
  readonly code: StorageErrorCode
  readonly key: string
  readonly revision?: Revision
  readonly currentRevision?: Revision
  readonly continue?: string
  readonly unreadable?: UnreadableDetails

  constructor(init: StorageErrorInit) {
    super(formatMessage(init), init.cause === undefined ? undefined : { cause: init.cause })
    this.name = 'StorageError'
    this.code = init.code
    this.key = init.key
    if (init.revision !== undefined) this.revision = init.revision
    if (init.currentRevision !== undefined) this.currentRevision = init.currentRevision
    if (init.continue !== undefined) this.continue = init.continue
    if (init.unreadable !== undefined) this.unreadable = init.unreadable
  }
}

function formatMessage(init: StorageErrorInit): string {
  const upstreamError = upstreamErrors[init.code]
  if (!upstreamError) return init.message ?? init.code
  const [number, words] = upstreamError
  return `StorageError: ${words}, Code: ${number}, Key: ${init.key}, ResourceVersion: ${init.revision ?? 0}, AdditionalErrorMsg: ${init.message ?? '<nil>'}`
}

/**
 * Returns true for a `StorageError`, with this code if one is given. Compares names instead of using `instanceof`, because two copies of
 * the package may be loaded.
 */
export function isStorageError(error: unknown, code?: StorageErrorCode): error is StorageError {
  return error instanceof Error && error.name === 'StorageError' && (code === undefined || (error as StorageError).code === code)
}

/**
 * The error of a stored value that cannot be decoded. Codecs throw it, and the object store translates it to a `StorageError` with the code
 * `Corrupt`.
 */
export class CorruptObjectError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CorruptObjectError'
  }
}

export function newKeyNotFoundError(key: string): StorageError {
  return new StorageError({ code: 'KeyNotFound', key })
}
export function newKeyExistsError(key: string): StorageError {
  return new StorageError({ code: 'KeyExists', key })
}
export function newInvalidObjectError(key: string, message: string): StorageError {
  return new StorageError({ code: 'InvalidObject', key, message })
}
/** Creates the error of a value that could not be decrypted or encrypted. */
export function newTransformError(key: string, cause: unknown): StorageError {
  return new StorageError({ code: 'Internal', key, message: cause instanceof Error ? cause.message : String(cause), cause })
}
/** Creates the error of a read or watch from a revision that has been compacted. `message` is the error text for the client. */
export function newTooOldError(key: string, message: string): StorageError {
  return new StorageError({ code: 'ResourceVersionTooOld', key, message })
}
export function newTooLargeError(key: string, revision: Revision, currentRevision: Revision): StorageError {
  const message = `Too large resource version: ${revision}, current: ${currentRevision}`
  return new StorageError({ code: 'ResourceVersionTooLarge', key, revision, currentRevision, message })
}
