import { isStorageError, StorageError } from './errors.ts'
import type { UnreadableObject } from './storage.ts'

const maxUnreadable = 100

/** Collects the unreadable objects of one list, so that an operator sees all of them at once. */
export class UnreadableObjects {
  readonly #prefix: string
  readonly #objects: UnreadableObject[] = []

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** Adds an unreadable object. Throws `UnreadableObjects` if there are too many. Throws every other error unchanged. */
  add(key: string, error: unknown): void {
    if (!isUnreadable(error)) throw error
    if (this.#objects.length === maxUnreadable) throw this.#error(true)
    this.#objects.push({ key, message: error.message })
  }

  /** Throws `UnreadableObjects` if there are unreadable objects. */
  check(): void {
    if (this.#objects.length > 0) throw this.#error(false)
  }

  #error(isTruncated: boolean): StorageError {
    return new StorageError({
      code: 'UnreadableObjects',
      key: this.#prefix,
      message: `cannot read ${this.#objects.length}${isTruncated ? ' or more' : ''} objects under ${this.#prefix}`,
      unreadable: { objects: this.#objects, isTruncated },
    })
  }
}

/** Returns true if the value exists but cannot be turned into an object. Returns false if the store cannot be reached, which is temporary. */
export function isUnreadable(error: unknown): error is Error {
  return isStorageError(error, 'Corrupt') || isStorageError(error, 'Internal')
}
