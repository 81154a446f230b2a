import type { Pod, PodSpec, Toleration } from '@keelson/api/core/v1'
import { isExtendedResource } from '@keelson/resources-core'
import type { AdmissionPlugin } from '../admission.ts'

/**
 * Creates the plugin ExtendedResourceToleration. It lets pods that request an extended resource tolerate a taint of the same name, so that
 * nodes with special devices can be reserved for such pods.
 */
export function createExtendedResourceTolerationPlugin(): AdmissionPlugin {
  return {
    name: 'ExtendedResourceToleration',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods'],
    admit({ object }) {
      const { spec } = object as Pod
      if (spec === undefined) return
      for (const key of listExtendedRequests(spec)) addToleration(spec, { key, operator: 'Exists', effect: 'NoSchedule' })
    },
  }
}

function listExtendedRequests({ containers, initContainers }: PodSpec): readonly string[] {
  const names = new Set<string>()
  for (const { resources } of [...(containers ?? []), ...(initContainers ?? [])]) {
    for (const name of Object.keys(resources?.requests ?? {})) if (isExtendedResource(name)) names.add(name)
  }
  return [...names].toSorted()
}

/** Adds a toleration. Replaces tolerations that match the same taints. */
function addToleration(spec: PodSpec, added: Toleration): void {
  const tolerations = spec.tolerations ?? []
  const isSame = ({ key, operator, value = '', effect }: Toleration): boolean =>
    key === added.key && operator === added.operator && value === '' && effect === added.effect
  spec.tolerations = tolerations.some(isSame)
    ? tolerations.map((toleration) => (isSame(toleration) ? { ...added } : toleration))
    : [...tolerations, added]
}
