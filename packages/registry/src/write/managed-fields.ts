import { isJsonObject, mapList, equalsSemantically } from '@keelson/apimachinery'
import type { DeepReadonly, JsonValue, KubeObject, ManagedFieldsEntry, ObjectMeta, RequestContext } from '@keelson/apimachinery'
import { decodeManaged } from '@keelson/apimachinery/managed-fields'
import type { DecodedBody } from '../decode/body.ts'
import type { WriteRoute } from './route.ts'

/**
 * Records in `decoded.object` which manager owns which field after this write. `live` is the stored object, if there is one. Returns a promise
 * only if the fields of other versions are found by a conversion webhook.
 */
export function trackManagers(
  route: WriteRoute,
  context: RequestContext,
  live: KubeObject | undefined,
  decoded: DecodedBody,
): Promise<void> | void {
  const { object, withEmptyLists } = decoded
  if (object.metadata === undefined) return
  if (route.fieldManager === undefined) delete object.metadata.managedFields
  else return route.fieldManager.update(live, object, context.fieldManager, withEmptyLists)
}

/**
 * Restores an empty `managedFields` list, which decoding drops. A client sends an empty list to clear all managers, so the function looks
 * for it in the document.
 */
export function keepClearedManagers(document: JsonValue, object: KubeObject): void {
  const metadata = readMember(document, 'metadata')
  const managers = metadata === undefined ? undefined : readMember(metadata, 'managedFields')
  if (Array.isArray(managers) && managers.length === 0 && object.metadata !== undefined) object.metadata.managedFields = []
}

function readMember(value: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

/** Restores `before` if mutating admission left managed fields that cannot be decoded, and adds a warning. */
export function restoreDecodableManagers(object: KubeObject, before: ObjectMeta['managedFields'], context: RequestContext): void {
  const { metadata } = object
  if (metadata === undefined || metadata.managedFields === before) return
  try {
    decodeManaged(metadata.managedFields, false)
  } catch (error) {
    if (before === undefined) delete metadata.managedFields
    else metadata.managedFields = before
    const cause = 'this could be caused by an outdated mutating admission controller; please fix your requests'
    context.warn(`.metadata.managedFields was in an invalid state after admission; ${cause}: ${(error as Error).message}`)
  }
}

/**
 * Restores the old timestamps of managers if the write changes nothing else, so that the object is not written. This runs after the
 * strategy, because managers are tracked earlier, when changes that the strategy resets still count.
 */
export function keepManagerTimes(object: KubeObject, old: DeepReadonly<KubeObject>): void {
  const now = object.metadata.managedFields ?? []
  const before = old.metadata.managedFields ?? []
  if (now.length === 0 || now.length !== before.length) return
  if (now.every(({ time }, i) => time === before[i]!.time)) return
  if (!equalsSemantically(now.map(omitTime), before.map(omitTime))) return
  if (!equalsSemantically(withoutManagers(object), withoutManagers(old))) return
  object.metadata.managedFields = mapList(now, (entry, i) => {
    const { time } = before[i]!
    return time === undefined ? omitTime(entry) : Object.assign({}, entry, { time })
  })
}

function omitTime<T extends DeepReadonly<ManagedFieldsEntry>>(entry: T): Omit<T, 'time'> {
  const { time: _, ...untimed } = entry
  return untimed
}

function withoutManagers(object: DeepReadonly<KubeObject>): unknown {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } }
}
