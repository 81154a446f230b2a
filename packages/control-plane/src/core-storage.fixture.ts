import type { RESTStorage } from '@keelson/registry'
import { trackStorages } from '@keelson/registry'
import { coreGroups } from '@keelson/resources-core'
import { buildGenericConfig } from './build-generic-config.ts'
import type { GenericConfig } from './build-generic-config.ts'
import { newLegacyRESTStorage } from './new-legacy-rest-storage.ts'

export interface CoreStorage extends AsyncDisposable {
  readonly config: GenericConfig
  readonly storage: ReadonlyMap<string, RESTStorage>
}

/** Opens the REST storages of the core group in memory, without a server. */
export async function openCoreStorage(prefix = '/registry'): Promise<CoreStorage> {
  const config = await buildGenericConfig({ storage: { type: 'memory', prefix } })
  for (const module of coreGroups.flatMap(({ types }) => types)) config.types.add(module)
  const { restOptions, storages } = trackStorages(config.restOptionsGetter)
  return {
    config,
    storage: newLegacyRESTStorage({ ...config, restOptionsGetter: restOptions }),
    async [Symbol.asyncDispose]() {
      await Promise.all(storages.map((one) => one.close()))
      await config.backends[Symbol.asyncDispose]()
    },
  }
}
