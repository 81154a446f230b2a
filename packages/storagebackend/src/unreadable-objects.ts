import { isStorageError, StorageError } from './errors.ts'
import type { UnreadableObject } from './storage.ts'

const maxUnreadable = 100

/** Collects the unreadable objects of one list, so that an operator can see all of them in one error. */
export class UnreadableObjects {
  readonly #prefix: string
  readonly #objects: UnreadableObject[] = []

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /**
   * Adds an unreadable object. Throws `UnreadableObjects` if the maximum number is reached. If `error` does not mean an unreadable object,
   * rethrows it unchanged.
   */
  add(key: string, error: unknown): void {
    if (!isUnreadable(error)) throw error
    if (this.#objects.length === maxUnreadable) throw this.#createError(true)
    this.#objects.push({ key, message: error.message })
  }

  /** Throws `UnreadableObjects` if any unreadable objects were added. */
  check(): void {
    if (this.#objects.length > 0) throw this.#createError(false)
  }

  #createError(isTruncated: boolean): StorageError {
    return new StorageError({
      code: 'UnreadableObjects',
      key: this.#prefix,
      message: `cannot read ${this.#objects.length}${isTruncated ? ' or more' : ''} objects under ${this.#prefix}`,
      unreadable: { objects: this.#objects, isTruncated },
    })
  }
}

/**
 * Returns true if the error means that a value exists but cannot be decoded or decrypted. Returns false for temporary errors, for example
 * if the store cannot be reached.
 */
export function isUnreadable(error: unknown): error is Error {
  return isStorageError(error, 'Corrupt') || isStorageError(error, 'Internal')
}
