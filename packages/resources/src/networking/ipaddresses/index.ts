import type { IPAddress } from '@keelson/api/networking/v1'
import { ageColumn, defineResource, nameColumn } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { complaintsOfIP } from '@keelson/resources-core'
import { validateIPAddress, validateIPAddressUpdate } from './validate.ts'

/** An address that somebody has; its name is the address, which makes having it exclusive. */
export const ipAddresses: ResourceDefinition<IPAddress> = defineResource<IPAddress>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  alsoServedAs: [{ group: 'networking.k8s.io', version: 'v1beta1', deprecated: { since: '1.34', gone: '1.37' } }],
  scope: 'Cluster',
  shortNames: ['ip'],
  validateName: complaintsOfIP,
  generateName: (base) => base,
  strategy: {
    validateCreate: (_context, address) => validateIPAddress(address),
    validateUpdate: (_context, address, old) => validateIPAddressUpdate(address, old),
  },
  allColumns: [
    nameColumn,
    { name: 'ParentRef', description: 'Whose address it is.', value: ({ spec }) => parentName(spec?.parentRef) },
    { ...ageColumn, isUnlisted: true },
  ],
})

function parentName(parent: NonNullable<IPAddress['spec']>['parentRef']): string {
  if (parent === undefined) return '<none>'
  const { group = '', resource = '', namespace = '', name = '' } = parent
  const place = (group === '' ? resource : `${resource}.${group}`).toLowerCase()
  return [place, ...(namespace === '' ? [] : [namespace]), name].join('/')
}
