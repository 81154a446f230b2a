import type { LimitRange, PersistentVolumeClaim, Pod } from '@keelson/api/core/v1'
import { aggregateMessages, runAfter } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { newForbiddenWrite } from '../forbidden.ts'
import { findClaimViolations, findPodViolations } from './check-limits.ts'
import { LiveLimitRanges } from './live-limit-ranges.ts'
import { setContainerDefaults } from './set-defaults.ts'

type Apply = (range: DeepReadonly<LimitRange>, attributes: AdmissionAttributes) => void

/**
 * Creates the plugin LimitRanger. It enforces the LimitRanges of a namespace on pods and claims, and sets default requests and limits of
 * containers.
 */
export function limitRanger(dependencies: PluginDependencies): AdmissionPlugin {
  const ranges = new LiveLimitRanges(dependencies)
  const visitRanges = (attributes: AdmissionAttributes, apply: Apply): Promise<void> | void => {
    if (attributes.oldObject?.metadata.deletionTimestamp !== undefined) return
    return runAfter(ranges.of(attributes), (found) => {
      for (const range of found) apply(range, attributes)
    })
  }
  return {
    name: 'LimitRanger',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods', 'pods/resize', 'persistentvolumeclaims'],
    admit(attributes) {
      if (isPodWrite(attributes)) return visitRanges(attributes, (range) => setContainerDefaults(range, attributes.object as Pod))
    },
    validate(attributes) {
      if (isPodWrite(attributes) || attributes.resource.resource === 'persistentvolumeclaims') return visitRanges(attributes, check)
    },
  }
}

/** Returns whether the write can set resources of a pod. Only creating and resizing a pod can. */
function isPodWrite({ operation, resource, subresource }: AdmissionAttributes): boolean {
  return resource.resource === 'pods' && (operation === 'UPDATE') === (subresource === 'resize')
}

const check: Apply = (range, attributes) => {
  const { resource, object } = attributes
  const violations =
    resource.resource === 'pods' ? findPodViolations(range, object as Pod) : findClaimViolations(range, object as PersistentVolumeClaim)
  if (violations.length > 0) throw newForbiddenWrite(attributes, aggregateMessages(violations))
}
