import type { Pod } from '@keelson/api/core/v1'
import type { LabelSelector } from '@keelson/apimachinery'
import { collectPodAffinityTerms } from '../pod-spec/pod-affinity-terms.ts'

interface LabelKeyed {
  readonly labelSelector?: LabelSelector
  readonly matchLabelKeys?: string[]
  readonly mismatchLabelKeys?: string[]
}

/** Merges label values of the pod for `matchLabelKeys` into its selectors. Mutates the pod; not idempotent. */
export function mergeLabelKeys(pod: Pod): void {
  const { affinity, topologySpreadConstraints } = pod.spec ?? {}
  const keyed: readonly LabelKeyed[] = [...collectPodAffinityTerms(affinity), ...(topologySpreadConstraints ?? [])]
  for (const { labelSelector, matchLabelKeys, mismatchLabelKeys } of keyed) {
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
