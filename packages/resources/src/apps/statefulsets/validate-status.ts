import type { StatefulSet } from '@keelson/api/apps/v1'
import { fieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { validateCollisions, validateCounts, validateShares } from '../../workloads/status-counts.ts'

const statusPath = fieldPath('status')
const shares = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']

export function validateStatefulSetStatus({ status }: DeepReadonly<StatefulSet>, old: DeepReadonly<StatefulSet>): FieldErrorList {
  const { replicas, readyReplicas, currentReplicas, updatedReplicas, availableReplicas, observedGeneration, collisionCount } = status ?? {}
  const counts = { replicas, readyReplicas, currentReplicas, updatedReplicas, availableReplicas }
  return [
    ...validateCounts({ ...counts, observedGeneration, collisionCount }, statusPath),
    ...validateShares(counts, shares, { path: statusPath, ready: 'status.readyReplicas' }),
    ...validateCollisions(collisionCount, old.status?.collisionCount, statusPath),
  ]
}
