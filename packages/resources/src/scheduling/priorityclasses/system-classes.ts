import type { PriorityClass } from '@keelson/api/scheduling/v1'

/** Highest value of a class that users create. Higher values are reserved for system classes. */
export const highestUserDefinablePriority = 1_000_000_000
const systemCriticalPriority = 2 * highestUserDefinablePriority

export const systemPriorityClassPrefix = 'system-'

/** Classes that the server creates on start. They cannot be deleted by name. */
export const systemPriorityClasses: readonly Readonly<PriorityClass>[] = [
  {
    metadata: { name: 'system-node-critical' },
    value: systemCriticalPriority + 1000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    metadata: { name: 'system-cluster-critical' },
    value: systemCriticalPriority,
    description: 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
]

export function isSystemPriorityClass(name: string): boolean {
  return systemPriorityClasses.some((systemClass) => systemClass.metadata.name === name)
}
