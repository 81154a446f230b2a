import { encryptedUnexpectedly, isEncryptedValue } from '@keelson/storagebackend'
import type { ValueTransformer } from '@keelson/storagebackend'

/** Values as they are. Refuses what was encrypted, so that it is never taken for an object. */
export const identity: ValueTransformer = {
  fromStorage(stored) {
    if (isEncryptedValue(stored)) throw new Error(encryptedUnexpectedly)
    return { data: stored, stale: false }
  },
  toStorage: (data) => data,
}
