import type { GroupResource } from '@keelson/apimachinery'

/** "deployments.apps": up to the first dot the resource, behind it the group. "*." is all of the core group, "*.*" everything. */
export function parsePattern(text: string): GroupResource {
  const dot = text.indexOf('.')
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) }
}

export function patternText({ group, resource }: GroupResource): string {
  if (group !== '') return `${resource}.${group}`
  return resource === '*' ? '*.' : resource
}

export function samePattern(a: GroupResource, b: GroupResource): boolean {
  return a.group === b.group && a.resource === b.resource
}

/** From the narrowest to the widest. */
export function patternsOf({ group, resource }: GroupResource): readonly string[] {
  return [patternText({ group, resource }), patternText({ group, resource: '*' }), '*.*']
}
