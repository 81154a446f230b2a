import { formatTime, getErrorMessage } from '@keelson/apimachinery'
import type { NamespaceCondition } from '../controller.ts'
import type { Remaining } from './delete-content.ts'

/** Type, reason and message of each condition if the deletion succeeds, in the order in which the conditions are written. */
const successConditions: readonly (readonly [type: string, reason: string, message: string])[] = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  ['NamespaceDeletionContentFailure', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
  ['NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'],
  ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
]

/** Returns the new conditions of a terminating namespace. Returns undefined if they are unchanged. */
export function computeDeletionConditions(
  present: readonly Readonly<NamespaceCondition>[],
  remaining: Remaining,
  now: number,
): NamespaceCondition[] | undefined {
  const problems = describeProblems(remaining)
  const conditions: NamespaceCondition[] = present.map((condition) => ({ ...condition }))
  let changed = false
  for (const [type, okReason, okMessage] of successConditions) {
    const problem = problems.get(type)
    const newState = problem === undefined ? { status: 'False', reason: okReason, message: okMessage } : { status: 'True', ...problem }
    const old = conditions.find((condition) => condition.type === type)
    if (old === undefined) conditions.push({ type, lastTransitionTime: formatTime(now), ...newState })
    else if (old.status === newState.status && old.reason === newState.reason && old.message === newState.message) continue
    else {
      if (old.status !== newState.status) old.lastTransitionTime = formatTime(now)
      Object.assign(old, newState)
    }
    changed = true
  }
  return changed ? conditions : undefined
}

function describeProblems({ resources, finalizers, errors, failures }: Remaining): Map<string, { reason: string; message: string }> {
  const problems = new Map<string, { reason: string; message: string }>()
  if (failures.size > 0) {
    const message = `Discovery failed for some groups, ${failures.size} failing: ${describeFailures(failures)}`
    problems.set('NamespaceDeletionDiscoveryFailure', { reason: 'DiscoveryFailed', message })
  }
  if (errors.length > 0) {
    const messages = errors.map(getErrorMessage).toSorted()
    problems.set('NamespaceDeletionContentFailure', {
      reason: 'ContentDeletionFailed',
      message: `Failed to delete all resource types, ${errors.length} remaining: ${messages.join(', ')}`,
    })
  }
  if (resources.size > 0) {
    const counts = Array.from(resources, ([name, count]) => `${name} has ${count} resource instances`).toSorted()
    problems.set('NamespaceContentRemaining', {
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${counts.join(', ')}`,
    })
  }
  if (finalizers.size > 0) {
    const counts = Array.from(finalizers, ([name, count]) => `${name} in ${count} resource instances`).toSorted()
    problems.set('NamespaceFinalizersRemaining', {
      reason: 'SomeFinalizersRemain',
      message: `Some content in the namespace has finalizers remaining: ${counts.join(', ')}`,
    })
  }
  return problems
}

/** Returns client-go's message for incomplete discovery. */
export function describeFailures(failures: Remaining['failures']): string {
  const groups = Array.from(failures, ([groupVersion, reason]) => `${groupVersion}: ${reason}`).toSorted()
  return `unable to retrieve the complete list of server APIs: ${groups.join(', ')}`
}
