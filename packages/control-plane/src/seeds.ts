import type { GroupHost, InstalledGroup } from '@keelson/http-installer'
import { servedCore } from './builtin-groups.ts'
import type { GroupServices } from './group-services.ts'

// Exports the main steps in the order in which the server runs them, with the names that kube-apiserver uses.
export { createServerChain } from './create-server-chain.ts'
export { buildGenericConfig } from './build-generic-config.ts'
export { newStorageFactoryConfig } from '@keelson/registry'
export { applyWithStorageFactoryTo } from './apply-with-storage-factory.ts'
export { newLegacyRESTStorage } from './new-legacy-rest-storage.ts'
export { installAPIGroup } from '@keelson/http-installer'

/** Installs the core group under `/api`, in the same way as the other groups. */
export function installLegacyAPIGroup(host: GroupHost<GroupServices>): InstalledGroup {
  return host.install(servedCore)
}
