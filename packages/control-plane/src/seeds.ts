import type { GroupHost, InstalledGroup } from '@keelson/http-installer'
import { servedCore } from './builtin-groups.ts'
import type { GroupServices } from './group-services.ts'

// The names by which readers of kube-apiserver look for the main steps, in the order in which a server takes them.
export { createServerChain } from './create-server-chain.ts'
export { buildGenericConfig } from './build-generic-config.ts'
export { newStorageFactoryConfig } from '@keelson/registry'
export { applyWithStorageFactoryTo } from './apply-with-storage-factory.ts'
export { newLegacyRESTStorage } from './new-legacy-rest-storage.ts'
export { installAPIGroup } from '@keelson/http-installer'

/** Installs core, under `/api`. It is a group like the others. */
export function installLegacyAPIGroup(host: GroupHost<GroupServices>): InstalledGroup {
  return host.install(servedCore)
}
