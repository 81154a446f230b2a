import { isQualifiedName } from '@keelson/apimachinery'

// Classifies names of compute resources as standard, native or extended.

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

/** Returns the page size in the name of a huge pages resource, for example "2Mi" for "hugepages-2Mi". */
export function getHugePageSize(name: string): string {
  return name.slice(hugePagesPrefix.length)
}

export function isStandardResource(name: string): boolean {
  return standardResources.has(name) || isHugePages(name) || name.startsWith(requestsPrefix + hugePagesPrefix)
}

/** Returns whether the name has no domain and a quota can limit the resource. */
export function isStandardQuotaResource(name: string): boolean {
  return name !== 'storage' && isStandardResource(name)
}

export function isStandardContainerResource(name: string): boolean {
  return containerResources.includes(name) || isHugePages(name)
}

/** Returns whether the name has no domain or the domain "kubernetes.io". */
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

/** Returns whether quantities of this resource must be integers. */
export function isIntegerResource(name: string): boolean {
  return countedObjects.includes(name) || isExtendedResource(name)
}

/** Returns whether a pod can request this resource at pod level. */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name)
}

export const podLevelResources: readonly string[] = ['cpu', hugePagesPrefix, 'memory']
