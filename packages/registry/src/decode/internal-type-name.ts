import type { WriteRoute } from '../write/route.ts'

/** Groups whose Go package is not named after the first label of the group. */
const packages: Readonly<Record<string, string>> = { '': 'core', 'events.k8s.io': 'core', 'internal.apiserver.k8s.io': 'apiserverinternal' }

/** The internal Go type of a resource, as kube-apiserver's errors print it: "core.Pod", or "unstructured.Unstructured" for a kind without generated types. */
export function internalTypeName({ hub, type }: Pick<WriteRoute, 'hub' | 'type'>, suffix: '' | 'List' = ''): string {
  if (type === undefined) return `unstructured.Unstructured${suffix}`
  return `${packages[hub.group] ?? hub.group.split('.', 1)[0]}.${hub.kind}${suffix}`
}
