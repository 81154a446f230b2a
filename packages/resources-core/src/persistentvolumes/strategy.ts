import type { PersistentVolume } from '@keelson/api/core/v1'
import { requestTime } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '../keep-member.ts'
import { validatePersistentVolumeUpdate } from './validate-update.ts'
import { validatePersistentVolume } from './validate.ts'
import { findPersistentVolumeWarnings } from './warnings.ts'

export const persistentVolumeStrategy: Strategy<PersistentVolume> = {
  resetFields: withoutFields('status'),
  repeatedMetadataChecks: 'create',
  prepareForCreate(context, volume) {
    volume.status = { phase: 'Pending', lastPhaseTransitionTime: requestTime(context) }
  },
  validateCreate: (_context, volume) => validatePersistentVolume(volume),
  warningsOnCreate: (_context, volume) => findPersistentVolumeWarnings(volume),
  prepareForUpdate: (_context, volume, old) => keepMember(volume, old, 'status'),
  validateUpdate: (_context, volume, old) => validatePersistentVolumeUpdate(volume, old),
  warningsOnUpdate: (_context, volume) => findPersistentVolumeWarnings(volume),
}

export const persistentVolumeStatus: SubresourceStrategy<PersistentVolume> = {
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate(context, volume, old) {
      keepMember(volume, old, 'spec')
      const status = (volume.status ??= {})
      const oldTime = old.status?.lastPhaseTransitionTime
      const requestedTime = status.lastPhaseTransitionTime
      if (status.phase === old.status?.phase) {
        if (requestedTime === undefined && oldTime !== undefined) status.lastPhaseTransitionTime = oldTime
      } else if (requestedTime === undefined || requestedTime === oldTime) status.lastPhaseTransitionTime = requestTime(context)
    },
  },
}
