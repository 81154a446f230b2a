import type { Namespace } from '@keelson/api/core/v1'

const nameLabel = 'kubernetes.io/metadata.name'

export function setNamespaceDefaults(namespace: Namespace): void {
  if (namespace.metadata.name) labelWithName(namespace)
  namespace.status = { ...namespace.status, phase: namespace.status?.phase || 'Active' }
}

/** Adds the label "kubernetes.io/metadata.name", so that namespaces can be selected by name. Mutates its argument. */
export function labelWithName(namespace: Namespace): void {
  namespace.metadata.labels = { ...namespace.metadata.labels, [nameLabel]: namespace.metadata.name ?? '' }
}
