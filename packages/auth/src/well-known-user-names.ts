import { isDNS1123Label, isDNS1123Subdomain } from '@keelson/apimachinery'
import type { UserInfo } from '@keelson/apimachinery'

export const nodesGroup = 'system:nodes'
const nodePrefix = 'system:node:'

export interface ServiceAccountName {
  readonly namespace: string
  readonly name: string
}

/** Parses the user name of a service account, such as "system:serviceaccount:default:builder". Returns undefined for other users. */
export function parseServiceAccountUserName(userName: string): ServiceAccountName | undefined {
  const [system, kind, namespace = '', name = '', ...rest] = userName.split(':', 5)
  if (system !== 'system' || kind !== 'serviceaccount' || rest.length > 0) return undefined
  return isDNS1123Label(namespace).length === 0 && isDNS1123Subdomain(name).length === 0 ? { namespace, name } : undefined
}

export function formatServiceAccountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`
}

const nodeNameKey = 'authentication.kubernetes.io/node-name'

/** Returns the name of the node of the pod to which a service account's token is bound; undefined for other users and tokens. */
export function getServiceAccountNode({ name, extra }: UserInfo): string | undefined {
  const nodes = extra?.[nodeNameKey]
  if (nodes?.length !== 1 || parseServiceAccountUserName(name) === undefined) return undefined
  return isDNS1123Subdomain(nodes[0]!).length === 0 ? nodes[0] : undefined
}

/** Lists the groups that all service accounts in a namespace have. */
export function listServiceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** Returns the node name in a kubelet's user name: "worker-1" for "system:node:worker-1". Returns undefined for other users. */
export function parseNodeName(userName: string): string | undefined {
  if (!userName.startsWith(nodePrefix)) return undefined
  const name = userName.slice(nodePrefix.length)
  return isDNS1123Subdomain(name).length === 0 ? name : undefined
}

/** Returns the name of the node whose kubelet the user is; "" if the user name has no node; undefined for other users. */
export function getNodeIdentity({ name, groups }: Pick<UserInfo, 'name' | 'groups'>): string | undefined {
  return name.startsWith(nodePrefix) && groups.includes(nodesGroup) ? name.slice(nodePrefix.length) : undefined
}
