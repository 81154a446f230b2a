import type { DaemonSet } from '@keelson/api/apps/v1'
import { setPodTemplateDefaults } from '@keelson/resources-core'
import { normalizeTemplateGeneration } from './template-generation.ts'

export function setDaemonSetDefaults(set: DaemonSet): void {
  const spec = (set.spec ??= { selector: null, template: {} })
  const strategy = (spec.updateStrategy ??= {})
  strategy.type ||= 'RollingUpdate'
  if (strategy.type === 'RollingUpdate') {
    const rollingUpdate = (strategy.rollingUpdate ??= {})
    rollingUpdate.maxUnavailable ??= 1
    rollingUpdate.maxSurge ??= 0
  }
  spec.revisionHistoryLimit ??= 10
  setPodTemplateDefaults((spec.template ??= {}))
  normalizeTemplateGeneration(set)
}
