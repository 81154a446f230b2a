import type { GroupResource } from '@keelson/apimachinery'

/**
 * Parses a resource pattern such as "deployments.apps". The text before the first dot is the resource, and the rest is the group. "*." means all
 * resources of the core group, "*.*" means all resources.
 */
export function parsePattern(text: string): GroupResource {
  const dot = text.indexOf('.')
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) }
}

export function formatPattern({ group, resource }: GroupResource): string {
  if (group !== '') return `${resource}.${group}`
  return resource === '*' ? '*.' : resource
}

export function equalsPattern(a: GroupResource, b: GroupResource): boolean {
  return a.group === b.group && a.resource === b.resource
}

/** Returns all patterns that match a resource, from the most specific to the most general. */
export function listPatterns({ group, resource }: GroupResource): readonly string[] {
  return [formatPattern({ group, resource }), formatPattern({ group, resource: '*' }), '*.*']
}
