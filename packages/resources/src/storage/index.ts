import { storageV1 } from '@keelson/api/storage/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { storageClasses } from './storageclasses/index.ts'

export const storage: ApiGroup = defineApiGroup({
  name: 'storage.k8s.io',
  priority: 16800,
  types: [storageV1],
  resources: [storageClasses],
})
