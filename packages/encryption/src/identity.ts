import { encryptedUnexpectedly, isEncryptedValue } from '@keelson/storagebackend'
import type { ValueTransformer } from '@keelson/storagebackend'

/** The identity provider, which stores values unencrypted. It rejects encrypted values, so that they are never decoded as objects. */
export const identity: ValueTransformer = {
  fromStorage(stored) {
    if (isEncryptedValue(stored)) throw new Error(encryptedUnexpectedly)
    return { data: stored, stale: false }
  },
  toStorage: (data) => data,
}
