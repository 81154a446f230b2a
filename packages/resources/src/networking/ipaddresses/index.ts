import type { IPAddress } from '@keelson/api/networking/v1'
import { ageColumn, defineResource, nameColumn } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { findIPErrors } from '@keelson/resources-core'
import { validateIPAddress, validateIPAddressUpdate } from './validate.ts'

/** The definition of allocated IP addresses. The object name is the address, so an address cannot be allocated twice. */
export const ipAddresses: ResourceDefinition<IPAddress> = defineResource<IPAddress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  alsoServedAs: [{ group: 'networking.k8s.io', version: 'v1beta1', deprecated: { since: '1.34', gone: '1.37' } }],
  scope: 'Cluster',
  shortNames: ['ip'],
  validateName: findIPErrors,
  generateName: (base) => base,
  strategy: {
    validateCreate: (_context, address) => validateIPAddress(address),
    validateUpdate: (_context, address, old) => validateIPAddressUpdate(address, old),
  },
  allColumns: [
    nameColumn,
    { name: 'ParentRef', description: 'Owner of the address.', value: ({ spec }) => formatParent(spec?.parentRef) },
    { ...ageColumn, isUnlisted: true },
  ],
})

function formatParent(parent: NonNullable<IPAddress['spec']>['parentRef']): string {
  if (parent === undefined) return '<none>'
  const { group = '', resource = '', namespace = '', name = '' } = parent
  const resourceName = (group === '' ? resource : `${resource}.${group}`).toLowerCase()
  return [resourceName, ...(namespace === '' ? [] : [namespace]), name].join('/')
}
