import type { StatefulSet } from '@keelson/api/apps/v1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { findClaimSpecWarnings, keepMember } from '@keelson/resources-core'
import { validateCollisions, validateCounts, validateShares } from '../../workloads/status-counts.ts'
import { countSpecChanges, dropDisabledTemplateFields, findTemplateWarnings, isNewGeneration } from '../../workloads/template-hooks.ts'
import { validateStatefulSet, validateStatefulSetUpdate } from './validate.ts'

type ReadonlySet = DeepReadonly<StatefulSet>

const templatePath = newFieldPath('spec', 'template')
const claimsPath = newFieldPath('spec', 'volumeClaimTemplates')

export const statefulSetStrategy: Strategy<StatefulSet> = {
  resetFields: withoutFields('status'),
  repeatedMetadataChecks: 'update',
  prepareForCreate(_context, set) {
    set.status = { replicas: 0, availableReplicas: 0 }
    set.metadata.generation = 1
    dropMaxUnavailable(set)
    dropDisabledTemplateFields(set.spec?.template)
  },
  validateCreate: (_context, set) => validateStatefulSet(set),
  warningsOnCreate: (_context, set) => [
    ...findTemplateWarnings(set.spec?.template, templatePath),
    ...findClaimWarnings(set, (i) => claimsPath.index(i)),
    ...findHistoryWarnings(set),
  ],
  prepareForUpdate(_context, set, old) {
    keepMember(set, old, 'status')
    dropMaxUnavailable(set, old)
    dropDisabledTemplateFields(set.spec?.template, old.spec?.template)
    countSpecChanges(set, old)
  },
  validateUpdate: (_context, set, old) => validateStatefulSetUpdate(set, old),
  warningsOnUpdate: (_context, set, old) => [
    ...(isNewGeneration(set, old) ? findTemplateWarnings(set.spec?.template, templatePath) : []),
    // Upstream writes this path with a capital S.
    ...findClaimWarnings(set, (i) => claimsPath.index(i).child('Spec')),
    ...findHistoryWarnings(set),
  ],
}

export const statefulSetStatus: SubresourceStrategy<StatefulSet> = {
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate: (_context, set, old) => keepMember(set, old, 'spec'),
    validateUpdate: (_context, set, old) => validateStatefulSetStatus(set, old),
  },
}

/** Drops `maxUnavailable`, whose feature gate is off by default, unless the stored object already uses it. */
function dropMaxUnavailable({ spec }: StatefulSet, old?: ReadonlySet): void {
  if (old?.spec?.updateStrategy?.rollingUpdate?.maxUnavailable === undefined) delete spec?.updateStrategy?.rollingUpdate?.maxUnavailable
}

function findClaimWarnings({ spec }: ReadonlySet, path: (index: number) => FieldPath): string[] {
  return (spec?.volumeClaimTemplates ?? []).flatMap((claim, i) => findClaimSpecWarnings(claim.spec ?? {}, path(i)))
}

function findHistoryWarnings({ spec }: ReadonlySet): string[] {
  const isNegative = (spec?.revisionHistoryLimit ?? 0) < 0
  return isNegative ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended'] : []
}

const statusPath = newFieldPath('status')
const shares = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']

function validateStatefulSetStatus({ status }: DeepReadonly<StatefulSet>, old: DeepReadonly<StatefulSet>): FieldErrorList {
  const { replicas, readyReplicas, currentReplicas, updatedReplicas, availableReplicas, observedGeneration, collisionCount } = status ?? {}
  const counts = { replicas, readyReplicas, currentReplicas, updatedReplicas, availableReplicas }
  return [
    ...validateCounts({ ...counts, observedGeneration, collisionCount }, statusPath),
    ...validateShares(counts, shares, { path: statusPath, ready: 'status.readyReplicas' }),
    ...validateCollisions(collisionCount, old.status?.collisionCount, statusPath),
  ]
}
