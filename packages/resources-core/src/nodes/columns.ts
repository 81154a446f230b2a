import type { Node, NodeSystemInfo } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { ageColumn, nameColumn } from '@keelson/registry'
import type { Column } from '@keelson/registry'

const rolePrefix = 'node-role.kubernetes.io/'
const roleLabel = 'kubernetes.io/role'

type ReadonlyNode = DeepReadonly<Node>

/** Table columns of nodes. Includes Name and Age, which other kinds get by default, because Age is followed by Version here. */
export const nodeColumns: readonly Column<Node>[] = [
  nameColumn,
  { name: 'Status', description: 'Readiness, and whether scheduling is disabled.', value: formatStatus },
  { name: 'Roles', description: 'Roles of the node, from its labels.', value: (node) => formatRoles(node).join(',') || '<none>' },
  ageColumn,
  { name: 'Version', description: 'Version of the kubelet.', value: (node) => node.status?.nodeInfo?.kubeletVersion ?? '' },
  { name: 'Internal-IP', priority: 1, description: 'Address inside the cluster.', value: (node) => findAddress(node, 'InternalIP') },
  { name: 'External-IP', priority: 1, description: 'Address outside the cluster.', value: (node) => findAddress(node, 'ExternalIP') },
  { name: 'OS-Image', priority: 1, description: 'Operating system.', value: (node) => getNodeInfoField(node, 'osImage') },
  { name: 'Kernel-Version', priority: 1, description: 'Kernel and architecture.', value: formatKernel },
  {
    name: 'Container-Runtime',
    priority: 1,
    description: 'Container runtime and its version.',
    value: (node) => getNodeInfoField(node, 'containerRuntimeVersion'),
  },
]

function formatStatus({ spec, status }: ReadonlyNode): string {
  const ready = (status?.conditions ?? []).findLast(({ type }) => type === 'Ready')
  const text = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return spec?.unschedulable === true ? `${text},SchedulingDisabled` : text
}

function formatRoles({ metadata }: ReadonlyNode): string[] {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length)
    return key === roleLabel ? value : ''
  })
  return [...new Set(roles.filter((role) => role !== ''))].sort()
}

function findAddress({ status }: ReadonlyNode, addressType: string): string {
  return (status?.addresses ?? []).find(({ type }) => type === addressType)?.address ?? '<none>'
}

function getNodeInfoField({ status }: ReadonlyNode, member: 'osImage' | 'kernelVersion' | 'containerRuntimeVersion'): string {
  return status?.nodeInfo?.[member satisfies keyof NodeSystemInfo] || '<unknown>'
}

function formatKernel(node: ReadonlyNode): string {
  const architecture = node.status?.nodeInfo?.architecture
  return architecture ? `${getNodeInfoField(node, 'kernelVersion')} (${architecture})` : getNodeInfoField(node, 'kernelVersion')
}
