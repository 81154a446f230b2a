import type { Pod } from '@keelson/api/core/v1'
import { type ResourceDefinition, defineResource } from '@keelson/registry'
import { readinessGates, rowSummary } from './columns.ts'
import { podStatus } from './status-strategy.ts'
import { podStrategy } from './strategy.ts'
import { ephemeralContainers } from './subresources/ephemeral-containers.ts'
import { resize } from './subresources/resize.ts'

export const pods: ResourceDefinition<Pod> = defineResource<Pod>({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  scope: 'Namespaced',
  shortNames: ['po'],
  categories: ['all'],
  strategy: podStrategy,
  returnsDeletedObject: true,
  selectableFields: {
    'spec.nodeName': (pod) => pod.spec?.nodeName ?? '',
    'spec.restartPolicy': (pod) => pod.spec?.restartPolicy ?? '',
    'spec.schedulerName': (pod) => pod.spec?.schedulerName ?? '',
    'spec.serviceAccountName': (pod) => pod.spec?.serviceAccountName ?? '',
    'spec.hostNetwork': (pod) => String(pod.spec?.hostNetwork ?? false),
    'status.phase': (pod) => pod.status?.phase ?? '',
    'status.podIP': (pod) => pod.status?.podIPs?.[0]?.ip ?? '',
    'status.nominatedNodeName': (pod) => pod.status?.nominatedNodeName ?? '',
  },
  columns: [
    { name: 'Ready', description: 'How many of the containers are ready.', value: (pod, now) => rowSummary(pod, now).ready },
    { name: 'Status', description: 'The state of the containers in one word.', value: (pod, now) => rowSummary(pod, now).status },
    {
      name: 'Restarts',
      description: 'How often containers were restarted, and when last.',
      value: (pod, now) => rowSummary(pod, now).restarts,
    },
    { name: 'IP', priority: 1, description: 'The address of the pod.', value: (pod) => pod.status?.podIPs?.[0]?.ip || '<none>' },
    { name: 'Node', priority: 1, description: 'Where it runs.', value: (pod) => pod.spec?.nodeName || '<none>' },
    {
      name: 'Nominated Node',
      priority: 1,
      description: 'Where it may run after preemption.',
      value: (pod) => pod.status?.nominatedNodeName || '<none>',
    },
    { name: 'Readiness Gates', priority: 1, description: 'How many readiness gates are fulfilled.', value: (pod) => readinessGates(pod) },
  ],
  tableConditions(pod) {
    if (pod.status?.phase === 'Succeeded')
      return [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }]
    if (pod.status?.phase === 'Failed') return [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }]
    return []
  },
  subresources: { status: podStatus, ephemeralcontainers: ephemeralContainers, resize },
})
