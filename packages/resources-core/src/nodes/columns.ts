import type { Node, NodeSystemInfo } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { ageColumn, nameColumn } from '@keelson/registry'
import type { Column } from '@keelson/registry'

const rolePrefix = 'node-role.kubernetes.io/'
const roleLabel = 'kubernetes.io/role'

type ReadonlyNode = DeepReadonly<Node>

/** All of them: age stands before the version. */
export const nodeColumns: readonly Column<Node>[] = [
  nameColumn,
  { name: 'Status', description: 'Whether the node is ready, and whether pods are placed there.', value: statusText },
  { name: 'Roles', description: 'What the node is for, from its labels.', value: (node) => rolesOf(node).join(',') || '<none>' },
  ageColumn,
  { name: 'Version', description: 'The version of its kubelet.', value: (node) => node.status?.nodeInfo?.kubeletVersion ?? '' },
  { name: 'Internal-IP', priority: 1, description: 'Its address inside the cluster.', value: (node) => addressOf(node, 'InternalIP') },
  { name: 'External-IP', priority: 1, description: 'Its address outside the cluster.', value: (node) => addressOf(node, 'ExternalIP') },
  { name: 'OS-Image', priority: 1, description: 'Its operating system.', value: (node) => info(node, 'osImage') },
  { name: 'Kernel-Version', priority: 1, description: 'Its kernel and its architecture.', value: kernelText },
  {
    name: 'Container-Runtime',
    priority: 1,
    description: 'What runs its containers.',
    value: (node) => info(node, 'containerRuntimeVersion'),
  },
]

function statusText({ spec, status }: ReadonlyNode): string {
  const ready = (status?.conditions ?? []).findLast(({ type }) => type === 'Ready')
  const text = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return spec?.unschedulable === true ? `${text},SchedulingDisabled` : text
}

function rolesOf({ metadata }: ReadonlyNode): string[] {
  const roles = Object.entries(metadata.labels ?? {}).map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length)
    return key === roleLabel ? value : ''
  })
  return [...new Set(roles.filter((role) => role !== ''))].sort()
}

function addressOf({ status }: ReadonlyNode, wanted: string): string {
  return (status?.addresses ?? []).find(({ type }) => type === wanted)?.address ?? '<none>'
}

function info({ status }: ReadonlyNode, member: 'osImage' | 'kernelVersion' | 'containerRuntimeVersion'): string {
  return status?.nodeInfo?.[member satisfies keyof NodeSystemInfo] || '<unknown>'
}

function kernelText(node: ReadonlyNode): string {
  const architecture = node.status?.nodeInfo?.architecture
  return architecture ? `${info(node, 'kernelVersion')} (${architecture})` : info(node, 'kernelVersion')
}
