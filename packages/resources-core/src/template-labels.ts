import type { KubeObject } from '@keelson/apimachinery'
import type { DefaultOnRead } from '@keelson/registry'

type Labels = Record<string, string>

interface WithTemplate extends KubeObject {
  readonly spec?: { readonly template?: { readonly metadata?: { readonly labels?: Labels } } }
}

/**
 * Gives a workload without labels the labels of its pod template. Shares the map, so that labels generated for the pods later apply to the
 * workload, too. Mutates its argument.
 */
export function copyTemplateLabels({ metadata, spec }: WithTemplate): void {
  const labels = spec?.template?.metadata?.labels
  if (labels !== undefined && hasNoLabels(metadata.labels)) metadata.labels = labels
}

/** Fills the labels on reads: stored objects may lack them if template labels were generated later or a status write dropped them. */
export const templateLabelsOnRead: DefaultOnRead<WithTemplate> = {
  isDue: ({ metadata, spec }) => hasNoLabels(metadata.labels) && !hasNoLabels(spec?.template?.metadata?.labels),
  fill: copyTemplateLabels,
}

export function hasNoLabels(labels: Readonly<Labels> | undefined): boolean {
  return labels === undefined || Object.keys(labels).length === 0
}
