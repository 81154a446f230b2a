import type { Pod } from '@keelson/api/core/v1'
import { newForbidden } from '@keelson/apimachinery'
import type { AdmissionPlugin } from '../admission.ts'

const hostname = 'kubernetes.io/hostname'

/**
 * Creates the plugin LimitPodHardAntiAffinityTopology. It rejects pods whose required anti-affinity is wider than one node: such a pod
 * could keep all others out of a zone.
 */
export function limitPodHardAntiAffinityTopology(): AdmissionPlugin {
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods'],
    validate({ object, resource }) {
      const { metadata, spec } = object as Pod
      const terms = spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
      const wide = terms.find(({ topologyKey }) => topologyKey !== hostname)
      if (wide === undefined) return
      const field = 'affinity.PodAntiAffinity.RequiredDuringScheduling'
      const reason = `${field} has TopologyKey ${wide.topologyKey ?? ''} but only key ${hostname} is allowed`
      throw newForbidden({ group: resource.group, resource: resource.resource }, metadata.name ?? '', reason)
    },
  }
}
