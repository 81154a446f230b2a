import type { KubeObject } from '@keelson/apimachinery'
import type { DefaultOnRead } from '@keelson/registry'

type Labels = Record<string, string>

interface WithTemplate extends KubeObject {
  readonly spec?: { readonly template?: { readonly metadata?: { readonly labels?: Labels } } }
}

/**
 * What makes pods and has no labels of its own has those of its pods: the same map, so that what is generated for the pods is its own too. In
 * place.
 */
export function copyTemplateLabels({ metadata, spec }: WithTemplate): void {
  const labels = spec?.template?.metadata?.labels
  if (labels !== undefined && hasNoLabels(metadata.labels)) metadata.labels = labels
}

/** Where labels are generated after the own ones were settled, or the status is written without any: they are read, and not stored. */
export const templateLabelsOnRead: DefaultOnRead<WithTemplate> = {
  isDue: ({ metadata, spec }) => hasNoLabels(metadata.labels) && !hasNoLabels(spec?.template?.metadata?.labels),
  fill: copyTemplateLabels,
}

export function hasNoLabels(labels: Readonly<Labels> | undefined): boolean {
  return labels === undefined || Object.keys(labels).length === 0
}
