import { copyObject } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'

/** What a client may not change by this path stays as it is stored. In place. */
export function keepMember<T extends KubeObject>(object: T, old: DeepReadonly<T>, member: keyof T & string): void {
  const stored = (old as T)[member]
  if (stored === undefined) delete object[member]
  else object[member] = copyObject(stored)
}
