import type { Case } from '../cases/case.ts'
import type { FoundDifference } from '../play/play-case.ts'

export interface Found {
  readonly case: Case
  readonly difference: FoundDifference
}

export interface Group {
  /** Scenario, verb, kind (with subresource) and name of the difference. */
  readonly name: string
  readonly found: readonly Found[]
}

export function groupName({ case: { scenario, kind }, difference: { step, where } }: Found): string {
  const subresource = /\/(?:\w+-)?(?:one|a|two)\/(\w+)/.exec(step.path.replaceAll('${ns}-', ''))?.[1]
  const type = /(apply|json|merge|strategic-merge)-patch/.exec(step.headers?.['content-type'] ?? '')?.[1]
  const verb = type === undefined || step.method !== 'PATCH' ? step.method : `${step.method} (${type})`
  return `${scenario} ${verb} ${kind}${subresource === undefined ? '' : `/${subresource}`} ${where}`
}

/** Groups differences by name, largest group first. */
export function groupDifferences(differences: readonly Found[]): Group[] {
  const groups = Map.groupBy(differences, groupName)
  return [...groups].map(([name, found]) => ({ name, found })).toSorted((a, b) => b.found.length - a.found.length)
}
