import type { KubeObject } from '@keelson/apimachinery'
import type { DefaultOnRead } from '@keelson/registry'

type Labels = Record<string, string>

interface WithTemplate extends KubeObject {
  readonly spec?: { readonly template?: { readonly metadata?: { readonly labels?: Labels } } }
}

/**
 * Sets the labels of a workload to the labels of its pod template, if the workload has none. Both then share one map, so that labels added
 * to the template later become labels of the workload. Mutates its argument.
 */
export function copyTemplateLabels({ metadata, spec }: WithTemplate): void {
  const labels = spec?.template?.metadata?.labels
  if (labels !== undefined && hasNoLabels(metadata.labels)) metadata.labels = labels
}

/**
 * Sets missing labels of a workload on reads to the labels of its pod template. Stored workloads have no labels if the template labels were
 * generated after the defaults, or if a status update removed the labels.
 */
export const templateLabelsOnRead: DefaultOnRead<WithTemplate> = {
  isDue: ({ metadata, spec }) => hasNoLabels(metadata.labels) && !hasNoLabels(spec?.template?.metadata?.labels),
  fill: copyTemplateLabels,
}

export function hasNoLabels(labels: Readonly<Labels> | undefined): boolean {
  return labels === undefined || Object.keys(labels).length === 0
}
