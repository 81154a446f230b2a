import type { GroupVersionKind } from '@keelson/apimachinery'
import type { RESTStorage } from './rest.ts'

/** The facts about a path that serves bodies of another kind, or objects that are not stored. */
export function restFacts(gvk: GroupVersionKind, facts: Partial<Omit<RESTStorage, 'gvk'>> = {}): RESTStorage {
  return { gvk, namespaced: true, singularName: '', shortNames: [], categories: [], ...facts }
}
