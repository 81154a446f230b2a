import type { KubeObject } from '@keelson/apimachinery'
import type { Storage, StorageRequest } from '@keelson/storagebackend'
import type { RESTOptionsGetter } from './rest-options.ts'

export interface TrackedStorages {
  readonly restOptions: RESTOptionsGetter
  /** Every storage made through `restOptions`, for readiness and for closing. */
  readonly storages: readonly Storage[]
}

/** The same options, with a list of the storages that are made through them. */
export function trackStorages(restOptions: RESTOptionsGetter): TrackedStorages {
  const storages: Storage[] = []
  return {
    storages,
    restOptions: {
      getRESTOptions(resource, facts) {
        const options = restOptions.getRESTOptions(resource, facts)
        const decorator = <T extends KubeObject>(request: StorageRequest<T>): Storage<T> => {
          const storage = options.decorator(request)
          storages.push(storage as unknown as Storage)
          return storage
        }
        return { ...options, decorator }
      },
    },
  }
}
