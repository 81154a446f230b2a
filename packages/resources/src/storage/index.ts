import { storageV1 } from '@keelson/api/storage/v1'
import { storageV1beta1 } from '@keelson/api/storage/v1beta1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { csiDrivers } from './csidrivers/index.ts'
import { csiNodes } from './csinodes/index.ts'
import { csiStorageCapacities } from './csistoragecapacities/index.ts'
import { storageClasses } from './storageclasses/index.ts'
import { volumeAttachments } from './volumeattachments/index.ts'
import { volumeAttributesClasses } from './volumeattributesclasses/index.ts'

export const storage: ApiGroup = defineApiGroup({
  name: 'storage.k8s.io',
  priority: 16800,
  types: [storageV1, storageV1beta1],
  retiredVersions: ['v1alpha1'],
  resources: [csiDrivers, csiNodes, csiStorageCapacities, storageClasses, volumeAttachments, volumeAttributesClasses],
})
