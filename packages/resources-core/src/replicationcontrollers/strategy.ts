import type { ReplicationController } from '@keelson/api/core/v1'
import { newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember } from '../keep-member.ts'
import { dropDisabledPodFields } from '../pod-spec/drop-disabled-fields.ts'
import { findPodNameWarnings } from '../pod-spec/pod-name-warnings.ts'
import { findPodWarnings } from '../pod-spec/pod-warnings.ts'
import { validateReplicationController, validateReplicationControllerStatus, validateReplicationControllerUpdate } from './validate.ts'

const templatePath = newFieldPath('spec', 'template')

export const replicationControllerStrategy: Strategy<ReplicationController> = {
  resetFields: withoutFields('status'),
  repeatedMetadataChecks: 'update',
  // ReplicationController is older than garbage collection, so a delete orphans its pods by default.
  defaultPropagation: 'orphan',
  prepareForCreate(_context, controller) {
    controller.status = { replicas: 0 }
    controller.metadata.generation = 1
    const spec = controller.spec?.template?.spec
    if (spec !== undefined) dropDisabledPodFields(spec)
  },
  validateCreate: (_context, controller) => validateReplicationController(controller),
  warningsOnCreate: (_context, { metadata, spec }) => [
    ...findPodNameWarnings(metadata.name ?? ''),
    ...(spec?.template === undefined ? [] : findPodWarnings(spec.template, templatePath)),
  ],
  prepareForUpdate(_context, controller, old) {
    keepMember(controller, old, 'status')
    const spec = controller.spec?.template?.spec
    if (spec !== undefined) dropDisabledPodFields(spec, old.spec?.template?.spec)
    if (!equalsSemantically(controller.spec, old.spec)) controller.metadata.generation = (old.metadata.generation ?? 0) + 1
  },
  validateUpdate: (_context, controller, old) => validateReplicationControllerUpdate(controller, old),
  // Like kube-apiserver, warns about the stored template and not about the new one.
  warningsOnUpdate: (_context, controller, { metadata, spec }) =>
    controller.metadata.generation === metadata.generation || spec?.template === undefined
      ? []
      : findPodWarnings(spec.template, templatePath),
}

export const replicationControllerStatus: SubresourceStrategy<ReplicationController> = {
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate: (_context, controller, old) => keepMember(controller, old, 'spec'),
    validateUpdate: (_context, controller) => validateReplicationControllerStatus(controller),
  },
}
