import { isDNS1123Label, isDNS1123Subdomain } from '@keelson/apimachinery'

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

/** Lists the groups of every service account in a namespace. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
}

/** Parses "system:node:worker-1" into "worker-1". */
export function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith('system:node:')) return undefined
  const name = userName.slice('system:node:'.length)
  return isDNS1123Subdomain(name).length === 0 ? name : undefined
}
