import type { Namespace } from '@keelson/api/core/v1'
import { nameIsDNSLabel } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { setNamespaceDefaults } from './defaults.ts'
import { finalizeStrategy, namespaceStrategy, statusStrategy } from './strategy.ts'

export const namespaces: ResourceDefinition<Namespace> = defineResource<Namespace>({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
  shortNames: ['ns'],
  setDefaults: setNamespaceDefaults,
  strategy: namespaceStrategy,
  validateName: nameIsDNSLabel,
  selectableFields: { 'status.phase': (namespace) => namespace.status?.phase ?? '' },
  columns: [{ name: 'Status', description: 'Active, or Terminating.', value: (namespace) => namespace.status?.phase ?? '' }],
  subresources: {
    status: { update: statusStrategy },
    finalize: { update: finalizeStrategy, get: false, tabled: false },
  },
  withoutVerbs: ['deletecollection'],
  returnsDeletedObject: true,
  deletion: {
    beginDelete(namespace) {
      namespace.status = { ...namespace.status, phase: 'Terminating' }
    },
    isReadyToRemove: (namespace) => (namespace.spec?.finalizers ?? []).length === 0,
  },
})
