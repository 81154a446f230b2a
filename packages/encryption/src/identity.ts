import { encryptedUnexpectedly, isEncryptedValue } from '@keelson/storagebackend'
import type { ValueTransformer } from '@keelson/storagebackend'

/** Stores values unchanged. Rejects encrypted values so that they are never decoded as objects. */
export const identity: ValueTransformer = {
  fromStorage(stored) {
    if (isEncryptedValue(stored)) throw new Error(encryptedUnexpectedly)
    return { data: stored, stale: false }
  },
  toStorage: (data) => data,
}
