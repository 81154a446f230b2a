import type { DeepReadonly, DeleteOptions, KubeObject, ObjectMeta } from '@keelson/apimachinery'
import type { StoreParts } from '../store-parts.ts'

/** Holds an object until its dependents are orphaned. */
export const orphanFinalizer = 'orphan'
/** Holds an object until its dependents are gone. */
export const foregroundFinalizer = 'foregroundDeletion'

export interface FinalizerChange {
  readonly changed: boolean
  readonly finalizers: readonly string[]
}

/** The finalizers of an object whose deletion is requested with these options. The garbage collector removes the ones added here. */
export function finalizersForDeletion<T extends KubeObject>(
  parts: Pick<StoreParts<T>, 'definition' | 'enableGarbageCollection'>,
  metadata: DeepReadonly<ObjectMeta>,
  options: DeleteOptions,
): FinalizerChange {
  const present = metadata.finalizers ?? []
  if (!parts.enableGarbageCollection) return { changed: false, finalizers: present }
  const wanted = propagation(parts, present, options)
  const finalizers = present.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer)
  if (wanted === 'orphan') finalizers.push(orphanFinalizer)
  if (wanted === 'foreground') finalizers.push(foregroundFinalizer)
  const [before, after] = [new Set(present), new Set(finalizers)]
  const same = before.size === after.size && finalizers.every((name) => before.has(name))
  return same ? { changed: false, finalizers: present } : { changed: true, finalizers }
}

/** The client's options decide, else the finalizers that the object has, else the kind's default. */
function propagation<T extends KubeObject>(
  { definition }: Pick<StoreParts<T>, 'definition'>,
  present: readonly string[],
  options: DeleteOptions,
): 'orphan' | 'foreground' | 'background' {
  const habit = definition.strategy.defaultPropagation ?? 'background'
  if (habit === 'unsupported') return 'background'
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'orphan' : 'background'
  if (options.propagationPolicy === 'Orphan') return 'orphan'
  if (options.propagationPolicy === 'Foreground') return 'foreground'
  if (options.propagationPolicy === 'Background') return 'background'
  const carried = present.find((name) => name === orphanFinalizer || name === foregroundFinalizer)
  if (carried !== undefined) return carried === orphanFinalizer ? 'orphan' : 'foreground'
  return habit
}
