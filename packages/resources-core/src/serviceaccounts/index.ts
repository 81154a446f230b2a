import type { ServiceAccount } from '@keelson/api/core/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'

const enforceMountableAnnotation = 'kubernetes.io/enforce-mountable-secrets'
const enforceMountableWarning = `metadata.annotations[${enforceMountableAnnotation}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`

export const serviceAccounts: ResourceDefinition<ServiceAccount> = defineResource<ServiceAccount>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  scope: 'Namespaced',
  shortNames: ['sa'],
  returnsDeletedObject: true,
  strategy: {
    prepareForCreate: (_context, account) => keepSecretNames(account),
    prepareForUpdate: (_context, account) => keepSecretNames(account),
    warningsOnCreate: (_context, account) => (hasEnforceMountable(account) ? [enforceMountableWarning] : []),
    warningsOnUpdate: (_context, account, old) =>
      hasEnforceMountable(account) && !hasEnforceMountable(old) ? [enforceMountableWarning] : [],
  },
  columns: [],
})

/**
 * Removes all fields except the name from secret references. The secrets are always in the namespace of the service account. Mutates the
 * account.
 */
function keepSecretNames(account: ServiceAccount): void {
  if (account.secrets === undefined) return
  account.secrets = account.secrets.map(({ name }) => (name ? { name } : {}))
}

function hasEnforceMountable(account: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } }): boolean {
  return Object.hasOwn(account.metadata.annotations ?? {}, enforceMountableAnnotation)
}
