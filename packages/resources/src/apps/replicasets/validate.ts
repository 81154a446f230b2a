import type { ReplicaSet, ReplicaSetSpec } from '@keelson/api/apps/v1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { validateImmutableSelector } from '../../workloads/immutable-selector.ts'
import { validateCounts, validateShares } from '../../workloads/status-counts.ts'
import { validateReplicated } from '../replicated.ts'

type ReadonlySet = DeepReadonly<ReplicaSet>

const specPath = newFieldPath('spec')
const statusPath = newFieldPath('status')
const emptySpec: DeepReadonly<ReplicaSetSpec> = { selector: null, template: {} }

export function validateReplicaSet({ spec = emptySpec }: ReadonlySet, old?: ReadonlySet): FieldErrorList {
  const { replicas, minReadySeconds, selector, template = {} } = spec
  return [
    ...validateCounts({ replicas, minReadySeconds }, specPath),
    ...validateReplicated({ selector, template }, specPath, old?.spec?.template),
  ]
}

export function validateReplicaSetUpdate(set: ReadonlySet, old: ReadonlySet): FieldErrorList {
  return [...validateReplicaSet(set, old), ...validateImmutableSelector(set.spec?.selector, old.spec?.selector, specPath.child('selector'))]
}

export function validateReplicaSetStatus({ status = { replicas: 0 } }: ReadonlySet): FieldErrorList {
  const { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration, terminatingReplicas } = status
  const counts = { replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, observedGeneration, terminatingReplicas }
  return [
    ...validateCounts(counts, statusPath),
    ...validateShares(counts, ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'], { path: statusPath }),
  ]
}
