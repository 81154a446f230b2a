import { mapList, semanticEqual } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, ManagedFieldsEntry } from '@keelson/apimachinery'

/**
 * Puts the times of managers back where nothing but they would change, so that nothing is written. Whoever tracks managers cannot know
 * what strategies undo.
 */
export function keepManagerTimes(object: KubeObject, old: DeepReadonly<KubeObject>): void {
  const now = object.metadata.managedFields ?? []
  const before = old.metadata.managedFields ?? []
  if (now.length === 0 || now.length !== before.length) return
  if (now.every(({ time }, i) => time === before[i]!.time)) return
  if (!semanticEqual(now.map(timeless), before.map(timeless))) return
  if (!semanticEqual(withoutManagers(object), withoutManagers(old))) return
  object.metadata.managedFields = mapList(now, (entry, i) => {
    const { time } = before[i]!
    return time === undefined ? timeless(entry) : Object.assign({}, entry, { time })
  })
}

function timeless<T extends DeepReadonly<ManagedFieldsEntry>>(entry: T): Omit<T, 'time'> {
  const { time: _, ...rest } = entry
  return rest
}

function withoutManagers(object: DeepReadonly<KubeObject>): unknown {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } }
}
