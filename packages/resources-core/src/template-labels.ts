import type { KubeObject } from '@keelson/apimachinery'
import type { DefaultOnRead } from '@keelson/registry'

type Labels = Record<string, string>

interface WithTemplate extends KubeObject {
  readonly spec?: { readonly template?: { readonly metadata?: { readonly labels?: Labels } } }
}

/**
 * Sets the labels of a workload without labels to the labels of its pod template. Both share the map, so that labels added to the template
 * later are also labels of the workload. Mutates its argument.
 */
export function copyTemplateLabels({ metadata, spec }: WithTemplate): void {
  const labels = spec?.template?.metadata?.labels
  if (labels !== undefined && hasNoLabels(metadata.labels)) metadata.labels = labels
}

/** Sets missing labels on reads. Stored objects can lack them if template labels were generated later or a status write dropped them. */
export const templateLabelsOnRead: DefaultOnRead<WithTemplate> = {
  isDue: ({ metadata, spec }) => hasNoLabels(metadata.labels) && !hasNoLabels(spec?.template?.metadata?.labels),
  fill: copyTemplateLabels,
}

export function hasNoLabels(labels: Readonly<Labels> | undefined): boolean {
  return labels === undefined || Object.keys(labels).length === 0
}
