import type { KubeObject } from '@keelson/apimachinery'
import { createObjectStore } from '@keelson/storagebackend'
import type { Storage, StorageRequest } from '@keelson/storagebackend'

/** The store itself, without a watch cache. */
export function undecoratedStorage<T extends KubeObject>(request: StorageRequest<T>): Storage<T> {
  return newRawStorage(request)
}

/** The storage every decorator starts from. */
export function newRawStorage<T extends KubeObject>(request: StorageRequest<T>): Storage<T> {
  return createObjectStore<T>(request)
}
