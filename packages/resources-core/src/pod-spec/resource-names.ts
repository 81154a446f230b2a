import { isQualifiedName } from '@keelson/apimachinery'

/** Names of compute resources: which are known, which are extensions, and what may be asked of them. */

const hugePagesPrefix = 'hugepages-'
const requestsPrefix = 'requests.'

const containerResources: readonly string[] = ['cpu', 'memory', 'ephemeral-storage']
const countedObjects: readonly string[] = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]
const standardResources: ReadonlySet<string> = new Set([
  ...['', requestsPrefix, 'limits.'].flatMap((prefix) => containerResources.map((name) => prefix + name)),
  ...countedObjects,
  'storage',
  'requests.storage',
])

export function isHugePages(name: string): boolean {
  return name.startsWith(hugePagesPrefix)
}

/** The size of a page, as written in the name. */
export function hugePageSize(name: string): string {
  return name.slice(hugePagesPrefix.length)
}

export function isStandardResource(name: string): boolean {
  return standardResources.has(name) || isHugePages(name) || name.startsWith(requestsPrefix + hugePagesPrefix)
}

/** What a quota can limit by a name without a domain. */
export function isStandardQuotaResource(name: string): boolean {
  return name !== 'storage' && isStandardResource(name)
}

export function isStandardContainerResource(name: string): boolean {
  return containerResources.includes(name) || isHugePages(name)
}

/** Of Kubernetes itself: without a domain, or with its own. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/')
}

export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith(requestsPrefix)) return false
  return isQualifiedName(requestsPrefix + name).length === 0
}

export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name)
}

/** Only whole numbers of it exist. */
export function isIntegerResource(name: string): boolean {
  return countedObjects.includes(name) || isExtendedResource(name)
}

/** What a pod as a whole may ask for. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name)
}

export const podLevelResources: readonly string[] = ['cpu', hugePagesPrefix, 'memory']
