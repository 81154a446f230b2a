import type { ObjectList } from '../storage.ts'
import type { TestObject } from './test-object.ts'

/** Returns the "namespace/name" of each object, in list order. */
export function listNames(list: ObjectList<TestObject>): string[] {
  return Array.from(list.items, (object) => `${object.field('metadata.namespace')}/${object.field('metadata.name')}`)
}
