import type { GroupResource } from '@keelson/apimachinery'

/**
 * Parses "deployments.apps": the resource is before the first dot, the group after it. "*." is the whole core group, "*.*" is everything.
 */
export function parsePattern(text: string): GroupResource {
  const dot = text.indexOf('.')
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) }
}

export function formatPattern({ group, resource }: GroupResource): string {
  if (group !== '') return `${resource}.${group}`
  return resource === '*' ? '*.' : resource
}

export function samePattern(a: GroupResource, b: GroupResource): boolean {
  return a.group === b.group && a.resource === b.resource
}

/** Returns all matching patterns, narrowest first. */
export function listPatterns({ group, resource }: GroupResource): readonly string[] {
  return [formatPattern({ group, resource }), formatPattern({ group, resource: '*' }), '*.*']
}
