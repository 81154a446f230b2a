import { apiregistrationGroup } from '@keelson/aggregator'
import { apiextensionsGroup } from '@keelson/apiextensions'
import type { ApiGroup } from '@keelson/registry'
import { apiGroups } from '@keelson/resources'
import { core, coreGroups } from '@keelson/resources-core'
import type { GroupServices } from './group-services.ts'
import { newLegacyRESTStorage } from './new-legacy-rest-storage.ts'

/** The core group with the services that its subresources need: allocators, connections to kubelets, and component checks. */
export const servedCore: ApiGroup<GroupServices> = {
  ...core,
  newRESTStorage({ restOptions, services: { config, legacy } }) {
    return newLegacyRESTStorage({ ...config, restOptionsGetter: restOptions }, legacy)
  },
}

/** All built-in groups. Types, kinds, stores, routes and discovery derive from this list. */
export const builtinGroups: readonly ApiGroup<GroupServices>[] = [
  apiregistrationGroup,
  ...coreGroups.map((group) => (group === core ? servedCore : group)),
  ...apiGroups,
  apiextensionsGroup,
]
