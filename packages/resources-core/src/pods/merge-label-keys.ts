import type { Pod } from '@keelson/api/core/v1'
import type { LabelSelector } from '@keelson/apimachinery'

interface LabelKeyed {
  readonly labelSelector?: LabelSelector
  readonly matchLabelKeys?: string[]
  readonly mismatchLabelKeys?: string[]
}

/** Selectors that ask for the pod's own value of a label get that value, so that the scheduler need not look it up. In place, once. */
export function mergeLabelKeys(pod: Pod): void {
  const { affinity, topologySpreadConstraints } = pod.spec ?? {}
  const terms: readonly LabelKeyed[] = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((group) => [
    ...(group?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ...(group?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
  ])
  for (const { labelSelector, matchLabelKeys, mismatchLabelKeys } of [...terms, ...(topologySpreadConstraints ?? [])] as LabelKeyed[]) {
    if (labelSelector === undefined) continue
    addRequirements(labelSelector, 'In', { keys: matchLabelKeys, labels: pod.metadata.labels })
    addRequirements(labelSelector, 'NotIn', { keys: mismatchLabelKeys, labels: pod.metadata.labels })
  }
}

function addRequirements(
  selector: LabelSelector,
  operator: 'In' | 'NotIn',
  { keys = [], labels = {} }: { readonly keys: string[] | undefined; readonly labels: Readonly<Record<string, string>> | undefined },
): void {
  for (const key of keys) {
    if (Object.hasOwn(labels, key)) (selector.matchExpressions ??= []).push({ key, operator, values: [labels[key]!] })
  }
}
