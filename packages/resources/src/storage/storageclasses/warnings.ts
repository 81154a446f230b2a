import type { StorageClass } from '@keelson/api/storage/v1'
import { fieldPath } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { getNodeLabelDeprecation } from '@keelson/resources-core'

export function findStorageClassWarnings({ allowedTopologies = [] }: DeepReadonly<StorageClass>): string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, i) =>
    matchLabelExpressions.flatMap(({ key }, j) => {
      const message = getNodeLabelDeprecation(key)
      const path = fieldPath('allowedTopologies').index(i).child('matchLabelExpressions').index(j).child('key')
      return message === undefined ? [] : [`${path}: ${message}`]
    }),
  )
}
