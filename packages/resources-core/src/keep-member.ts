import { copyObject } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'

/** Restores a field from the stored object, so that the client cannot change it. Mutates `object`. */
export function keepMember<T extends KubeObject>(object: T, old: DeepReadonly<T>, member: keyof T & string): void {
  const stored = (old as T)[member]
  if (stored === undefined) delete object[member]
  else object[member] = copyObject(stored)
}
