import type { ResourceScope } from './scope.ts'

/** Groups whose package is not named by the first label of the group. */
const packages: Readonly<Record<string, string>> = { '': 'core', 'events.k8s.io': 'core', 'internal.apiserver.k8s.io': 'apiserverinternal' }

/** What the original calls the type that a resource is held in, as its errors print it: "core.Pod", and for what has no type of its own "unstructured.Unstructured". */
export function internalTypeName({ hub, type }: Pick<ResourceScope, 'hub' | 'type'>, suffix: '' | 'List' = ''): string {
  if (type === undefined) return `unstructured.Unstructured${suffix}`
  return `${packages[hub.group] ?? hub.group.split('.', 1)[0]}.${hub.kind}${suffix}`
}
