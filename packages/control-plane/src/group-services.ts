import type { Clock } from '@keelson/apimachinery'
import type { Authorizer } from '@keelson/auth'
import type { LoopbackClient, SharedInformers } from '@keelson/loopback'
import type { GenericConfig } from './build-generic-config.ts'
import type { LegacyRESTStorageOptions } from './new-legacy-rest-storage.ts'

/** What a server of the chain offers the factories of its API groups. */
export interface GroupServices {
  /** In process, with the identity `system:apiserver`. Serves what is installed when it is called. */
  readonly client: LoopbackClient
  readonly informers: SharedInformers
  readonly authorizer: Authorizer
  readonly clock: Clock
  readonly config: GenericConfig
  /** For core's resources. */
  readonly legacy: LegacyRESTStorageOptions
}
