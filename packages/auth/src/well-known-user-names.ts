import { isDNS1123Label, isDNS1123Subdomain } from '@keelson/apimachinery'
import type { UserInfo } from '@keelson/apimachinery'

export const nodesGroup = 'system:nodes'
const nodePrefix = 'system:node:'

export interface ServiceAccountName {
  readonly namespace: string
  readonly name: string
}

/** Parses "system:serviceaccount:default:builder". */
export function serviceAccountOf(userName: string): ServiceAccountName | undefined {
  const [system, kind, namespace = '', name = '', ...rest] = userName.split(':', 5)
  if (system !== 'system' || kind !== 'serviceaccount' || rest.length > 0) return undefined
  return isDNS1123Label(namespace).length === 0 && isDNS1123Subdomain(name).length === 0 ? { namespace, name } : undefined
}

export function serviceAccountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`
}

const nodeNameKey = 'authentication.kubernetes.io/node-name'

/** Returns the node of the pod that a service account's token is bound to; undefined for other users and tokens. */
export function serviceAccountNode({ name, extra }: UserInfo): string | undefined {
  const nodes = extra?.[nodeNameKey]
  if (nodes?.length !== 1 || serviceAccountOf(name) === undefined) return undefined
  return isDNS1123Subdomain(nodes[0]!).length === 0 ? nodes[0] : undefined
}

/** Lists the groups of every service account in a namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** Parses "system:node:worker-1" into "worker-1". */
export function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith(nodePrefix)) return undefined
  const name = userName.slice(nodePrefix.length)
  return isDNS1123Subdomain(name).length === 0 ? name : undefined
}

/** Returns the name of the node whose kubelet the user is, "" if the name is missing, undefined for other users. */
export function nodeIdentity({ name, groups }: Pick<UserInfo, 'name' | 'groups'>): string | undefined {
  return name.startsWith(nodePrefix) && groups.includes(nodesGroup) ? name.slice(nodePrefix.length) : undefined
}
