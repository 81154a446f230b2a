import type { StorageClass } from '@keelson/api/storage/v1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { getNodeLabelDeprecation } from '@keelson/resources-core'
import { storageClassColumns } from './columns.ts'
import { validateStorageClass, validateStorageClassUpdate } from './validate.ts'

export const storageClasses: ResourceDefinition<StorageClass> = defineResource<StorageClass>({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  scope: 'Cluster',
  shortNames: ['sc'],
  returnsDeletedObject: true,
  setDefaults(storageClass) {
    storageClass.reclaimPolicy ??= 'Delete'
    storageClass.volumeBindingMode ??= 'Immediate'
  },
  strategy: {
    validateCreate: (_context, storageClass) => validateStorageClass(storageClass),
    warningsOnCreate: (_context, storageClass) => findStorageClassWarnings(storageClass),
    validateUpdate: (_context, storageClass, old) => validateStorageClassUpdate(storageClass, old),
    warningsOnUpdate: (_context, storageClass) => findStorageClassWarnings(storageClass),
  },
  allColumns: storageClassColumns,
})

function findStorageClassWarnings({ allowedTopologies = [] }: DeepReadonly<StorageClass>): string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
    matchLabelExpressions.flatMap(({ key }, j) => {
      const message = getNodeLabelDeprecation(key)
      const path = newFieldPath('allowedTopologies').index(i).child('matchLabelExpressions').index(j).child('key')
      return message === undefined ? [] : [`${path}: ${message}`]
    }),
  )
}
