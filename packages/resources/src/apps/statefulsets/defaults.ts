import type { StatefulSet } from '@keelson/api/apps/v1'
import { setClaimDefaults, setPodTemplateDefaults } from '@keelson/resources-core'

export function setStatefulSetDefaults(set: StatefulSet): void {
  const spec = (set.spec ??= { selector: null, template: {}, serviceName: '' })
  spec.podManagementPolicy ||= 'OrderedReady'
  const strategy = (spec.updateStrategy ??= {})
  if (!strategy.type) {
    strategy.type = 'RollingUpdate'
    strategy.rollingUpdate ??= {}
  }
  if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate !== undefined) strategy.rollingUpdate.partition ??= 0
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {})
  retention.whenDeleted ||= 'Retain'
  retention.whenScaled ||= 'Retain'
  spec.replicas ??= 1
  spec.revisionHistoryLimit ??= 10
  setPodTemplateDefaults((spec.template ??= {}))
  for (const claim of spec.volumeClaimTemplates ?? []) {
    setClaimDefaults(claim)
    // Stored templates always have kind and apiVersion, even if the client omits them.
    claim.kind = 'PersistentVolumeClaim'
    claim.apiVersion = 'v1'
  }
}
