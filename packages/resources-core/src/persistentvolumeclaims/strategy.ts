import type { PersistentVolumeClaim } from '@keelson/api/core/v1'
import { newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '../keep-member.ts'
import { validateClaimSpec } from '../pod-spec/validate-claim-spec.ts'
import { findClaimSpecWarnings } from '../pod-spec/volume-warnings.ts'
import { storageClassAnnotation, storageClassAnnotationMessage } from '../storage-class-name.ts'
import { normalizeDataSources } from './data-sources.ts'
import { validateClaimStatus } from './validate-status.ts'
import { validateClaimUpdate } from './validate-update.ts'

const specPath = newFieldPath('spec')

export const claimStrategy: Strategy<PersistentVolumeClaim> = {
  resetFields: withoutFields('status'),
  prepareForCreate(_context, claim) {
    claim.status = {}
    if (claim.spec !== undefined) normalizeDataSources(claim.spec)
  },
  validateCreate: (_context, claim) => validateClaimSpec(claim.spec ?? {}, specPath),
  warningsOnCreate: (_context, claim) => findClaimWarnings(claim),
  prepareForUpdate(_context, claim, old) {
    keepMember(claim, old, 'status')
    if (claim.spec !== undefined) normalizeDataSources(claim.spec, old.spec)
  },
  validateUpdate: (_context, claim, old) => validateClaimUpdate(claim, old),
  warningsOnUpdate: (_context, claim) => findClaimWarnings(claim),
}

export const claimStatus: SubresourceStrategy<PersistentVolumeClaim> = {
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate: (_context, claim, old) => keepMember(claim, old, 'spec'),
    validateUpdate: (_context, claim) => validateClaimStatus(claim),
  },
}

function findClaimWarnings({ metadata, spec = {} }: DeepReadonly<PersistentVolumeClaim>): readonly string[] {
  const path = newFieldPath('metadata', 'annotations').key(storageClassAnnotation)
  return [
    ...(metadata.annotations?.[storageClassAnnotation] === undefined ? [] : [`${path}: ${storageClassAnnotationMessage}`]),
    ...findClaimSpecWarnings(spec, specPath),
  ]
}
