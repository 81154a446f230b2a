import type { GroupVersionKind } from '@keelson/apimachinery'
import type { RESTStorage } from './rest.ts'

/** What a path has beside its verbs, for storages that are no store: bodies of another kind, objects that are kept nowhere. */
export function restFacts(gvk: GroupVersionKind, facts: Partial<Omit<RESTStorage, 'gvk'>> = {}): RESTStorage {
  return { gvk, namespaced: true, singularName: '', shortNames: [], categories: [], ...facts }
}
