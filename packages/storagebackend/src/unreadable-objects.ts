import { ApiError, groupResourceString } from '@keelson/apimachinery'
import type { GroupResource, StatusCause } from '@keelson/apimachinery'
import { isStorageError } from './errors.ts'

const most = 100
const truncated: StatusCause = { reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' }

/** What cannot be read in one list, collected, so that an operator sees all of it at once. */
export class UnreadableObjects {
  readonly #resource: GroupResource
  readonly #causes: StatusCause[] = []

  constructor(resource: GroupResource) {
    this.#resource = resource
  }

  /** Throws what is no unreadable value as it is, and the answer when there are too many. */
  add(key: string, error: unknown): void {
    if (!isUnreadable(error)) throw error
    if (this.#causes.length === most) {
      this.#causes.push(truncated)
      this.check()
    }
    this.#causes.push({ reason: 'UnexpectedServerResponse', message: error.message, field: key })
  }

  /** Throws unless everything could be read. */
  check(): void {
    if (this.#causes.length === 0) return
    const { group, resource: kind } = this.#resource
    throw new ApiError({
      reason: 'StoreReadError',
      message: `failed to read one or more ${groupResourceString(this.#resource)} from the storage`,
      details: { name: 'list', ...(group !== '' && { group }), kind, causes: this.#causes },
    })
  }
}

/** The bytes are there, and cannot be turned into the object. Not that the store cannot be reached, which passes. */
export function isUnreadable(error: unknown): error is Error {
  return isStorageError(error, 'Corrupt') || isStorageError(error, 'Internal')
}
