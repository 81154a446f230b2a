import type { Deployment } from '@keelson/api/apps/v1'
import { setPodTemplateDefaults } from '@keelson/resources-core'
import { normalizeRollback } from './rollback-annotation.ts'

export function setDeploymentDefaults(deployment: Deployment): void {
  const spec = (deployment.spec ??= { selector: null, template: {} })
  spec.replicas ??= 1
  const strategy = (spec.strategy ??= {})
  strategy.type ||= 'RollingUpdate'
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {})
    rollingUpdate.maxUnavailable ??= '25%'
    rollingUpdate.maxSurge ??= '25%'
  }
  spec.revisionHistoryLimit ??= 10
  spec.progressDeadlineSeconds ??= 600
  setPodTemplateDefaults((spec.template ??= {}))
  normalizeRollback(deployment)
}
