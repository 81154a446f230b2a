import type { GroupVersionKind } from '@keelson/apimachinery'

/** The Go packages of the groups whose package name differs from the first label of the group's name. */
const packages: Readonly<Record<string, string>> = { '': 'core', 'events.k8s.io': 'core', 'internal.apiserver.k8s.io': 'apiserverinternal' }

/**
 * Returns the internal Go type of a resource as kube-apiserver's errors print it: "core.Pod", or "unstructured.Unstructured" for a kind without
 * generated types.
 */
export function formatInternalTypeName(
  { hub, type }: { readonly hub: GroupVersionKind; readonly type: unknown },
  suffix: '' | 'List' = '',
): string {
  if (type === undefined) return `unstructured.Unstructured${suffix}`
  return `${packages[hub.group] ?? hub.group.split('.', 1)[0]}.${hub.kind}${suffix}`
}
