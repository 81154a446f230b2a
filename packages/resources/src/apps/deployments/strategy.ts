import type { Deployment } from '@keelson/api/apps/v1'
import { newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember, findPodNameWarnings } from '@keelson/resources-core'
import { dropDisabledTemplateFields, isNewGeneration, findTemplateWarnings } from '../../workloads/template-hooks.ts'
import { keepRollback } from './rollback-annotation.ts'
import { validateDeployment, validateDeploymentStatus, validateDeploymentUpdate } from './validate.ts'

const templatePath = newFieldPath('spec', 'template')

export const deploymentStrategy: Strategy<Deployment> = {
  resetFields: withoutFields('status'),
  repeatedMetadataChecks: 'update',
  prepareForCreate(_context, deployment) {
    deployment.status = {}
    deployment.metadata.generation = 1
    dropDisabledTemplateFields(deployment.spec?.template)
  },
  validateCreate: (_context, deployment) => validateDeployment(deployment),
  warningsOnCreate: (_context, { metadata, spec }) => [
    ...findPodNameWarnings(metadata.name ?? ''),
    ...findTemplateWarnings(spec?.template, templatePath),
  ],
  prepareForUpdate(_context, deployment, old) {
    keepMember(deployment, old, 'status')
    dropDisabledTemplateFields(deployment.spec?.template, old.spec?.template)
    // The controller copies annotations to replica sets, so they count as spec.
    const annotationsChanged = !equalsSemantically(deployment.metadata.annotations ?? {}, old.metadata.annotations ?? {})
    if (annotationsChanged || !equalsSemantically(deployment.spec, old.spec))
      deployment.metadata.generation = (old.metadata.generation ?? 0) + 1
  },
  validateUpdate: (_context, deployment, old) => validateDeploymentUpdate(deployment, old),
  warningsOnUpdate: (_context, deployment, old) =>
    isNewGeneration(deployment, old) ? findTemplateWarnings(deployment.spec?.template, templatePath) : [],
}

export const deploymentStatus: SubresourceStrategy<Deployment> = {
  update: {
    resetFields: withoutFields('spec', 'metadata.labels'),
    prepareForUpdate(_context, deployment, old) {
      keepMember(deployment, old, 'spec')
      keepRollback(deployment, old)
      if (old.metadata.labels === undefined) delete deployment.metadata.labels
      else deployment.metadata.labels = { ...old.metadata.labels }
    },
    validateUpdate: (_context, deployment, old) => validateDeploymentStatus(deployment, old),
  },
}
