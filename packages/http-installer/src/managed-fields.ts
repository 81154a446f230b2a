import { isJsonObject } from '@keelson/apimachinery'
import type { JsonValue, KubeObject, RequestContext } from '@keelson/apimachinery'
import { decodeManaged } from '@keelson/apimachinery/managed-fields'
import type { AdmissionOperation, AdmittedWrite } from '@keelson/registry'
import { admit } from './admit.ts'
import type { DecodedBody } from './decode-body.ts'
import type { ResourceScope } from './scope.ts'

/** Writes into the object who manages what after this write. `live`: what is stored, undefined when nothing is. */
export function trackManagers(scope: ResourceScope, context: RequestContext, live: KubeObject | undefined, decoded: DecodedBody): void {
  const { object, sent } = decoded
  if (object.metadata === undefined) return
  if (scope.fieldManager === undefined) delete object.metadata.managedFields
  else scope.fieldManager.update(live, object, context.fieldManager, sent)
}

/** An empty list asks that nothing be known of managers any more. Decoding drops empty lists, so it is looked for in the document. */
export function keepReset(document: JsonValue, object: KubeObject): void {
  const metadata = memberOf(document, 'metadata')
  const given = metadata === undefined ? undefined : memberOf(metadata, 'managedFields')
  if (Array.isArray(given) && given.length === 0 && object.metadata !== undefined) object.metadata.managedFields = []
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined
}

/** The mutating half of admission. It may change what is known of managers, but not into something that cannot be read. */
export async function admitTracked(
  write: AdmittedWrite,
  operation: AdmissionOperation,
  object: KubeObject,
  old: KubeObject | undefined,
): Promise<void> {
  const before = object.metadata?.managedFields
  const pending = admit(write, operation, object, old)
  if (pending !== undefined) await pending
  const { metadata } = object
  if (metadata === undefined || metadata.managedFields === before) return
  try {
    decodeManaged(metadata.managedFields, false)
  } catch (error) {
    if (before === undefined) delete metadata.managedFields
    else metadata.managedFields = before
    const cause = 'this could be caused by an outdated mutating admission controller; please fix your requests'
    write.context.warn(`.metadata.managedFields was in an invalid state after admission; ${cause}: ${(error as Error).message}`)
  }
}
