import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { claimColumns } from './columns.ts'
import { claimDefaultOnRead, setClaimDefaults } from './defaults.ts'
import { claimQuota } from './quota.ts'
import { claimStatus, claimStrategy } from './strategy.ts'

export const persistentVolumeClaims: ResourceDefinition<PersistentVolumeClaim> = defineResource<PersistentVolumeClaim>({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  scope: 'Namespaced',
  shortNames: ['pvc'],
  returnsDeletedObject: true,
  quota: claimQuota,
  storage: { defaultOnRead: claimDefaultOnRead },
  setDefaults: setClaimDefaults,
  strategy: claimStrategy,
  columns: claimColumns,
  subresources: { status: claimStatus },
})
