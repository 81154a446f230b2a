import type { Clock } from '@keelson/apimachinery'
import type { Authorizer } from '@keelson/auth'
import type { LoopbackClient, SharedInformers } from '@keelson/loopback'
import type { GenericConfig } from './build-generic-config.ts'
import type { LegacyRESTStorageOptions } from './new-legacy-rest-storage.ts'

/** Services that the server offers to the REST storage factories of its API groups. */
export interface GroupServices {
  /** In-process client with the identity `system:apiserver`. Serves the groups installed at the time of the call. */
  readonly client: LoopbackClient
  readonly informers: SharedInformers
  readonly authorizer: Authorizer
  readonly clock: Clock
  readonly config: GenericConfig
  /** Options of core's storages. */
  readonly legacy: LegacyRESTStorageOptions
}
