import type { Pod } from '@keelson/api/core/v1'
import { type ResourceDefinition, defineResource } from '@keelson/registry'
import { podQuota } from './quota.ts'
import { formatReadinessGates, summaryColumns } from './columns.ts'
import { setPodDefaults } from './defaults.ts'
import { normalizePod } from './normalize-pod.ts'
import { podStatus } from './status-strategy.ts'
import { podStrategy } from './strategy.ts'
import { ephemeralContainers } from './subresources/ephemeral-containers.ts'
import { resize } from './subresources/resize.ts'

export const pods: ResourceDefinition<Pod> = defineResource<Pod>({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  // Kubelets watch the pods of their node, so the watch cache indexes watches by node.
  storage: { triggerField: 'spec.nodeName' },
  scope: 'Namespaced',
  shortNames: ['po'],
  categories: ['all'],
  setDefaults: setPodDefaults,
  normalize: normalizePod,
  strategy: podStrategy,
  returnsDeletedObject: true,
  quota: podQuota,
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
  fieldLabels: {
    // Old clients select the node by this field name.
    'spec.host': 'spec.nodeName',
    // This field can be selected, but pods only match the empty value.
    'status.podIPs': 'status.podIPs',
  },
  columns: [
    summaryColumns,
    { name: 'IP', priority: 1, description: 'IP address of the pod.', value: (pod) => pod.status?.podIPs?.[0]?.ip || '<none>' },
    { name: 'Node', priority: 1, description: 'Node of the pod.', value: (pod) => pod.spec?.nodeName || '<none>' },
    {
      name: 'Nominated Node',
      priority: 1,
      description: 'Node where the pod may run after preemption.',
      value: (pod) => pod.status?.nominatedNodeName || '<none>',
    },
    {
      name: 'Readiness Gates',
      priority: 1,
      description: 'Number of fulfilled readiness gates.',
      value: (pod) => formatReadinessGates(pod),
    },
  ],
  getTableConditions(pod) {
    if (pod.status?.phase === 'Succeeded')
      return [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }]
    if (pod.status?.phase === 'Failed') return [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }]
    return []
  },
  subresources: { status: podStatus, ephemeralcontainers: ephemeralContainers, resize },
})
