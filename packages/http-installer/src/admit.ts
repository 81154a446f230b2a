import { WriteAttributes } from '@keelson/registry'
import type { AdmissionOperation, AdmitObject, AdmittedWrite } from '@keelson/registry'
import type { KubeObject } from '@keelson/apimachinery'
import type { ResourceScope } from './scope.ts'

/** The mutating half, before the registry sees the object. */
export function admit(
  write: AdmittedWrite,
  operation: AdmissionOperation,
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined,
): Promise<void> | void {
  const chain = write.route.admission
  if (chain.handles(operation)) return chain.admit(new WriteAttributes(write, operation, { object, oldObject, isFinal: false }))
}

/** The validating half, for the registry to call on the final object. */
export function validating(write: AdmittedWrite, operation: AdmissionOperation): AdmitObject {
  const chain = write.route.admission
  return (object, oldObject) =>
    chain.handles(operation) ? chain.validate(new WriteAttributes(write, operation, { object, oldObject, isFinal: true })) : undefined
}

/** The validating half where a PUT or a patch creates: the permission to update does not include the permission to create. */
export function validatingCreate(write: AdmittedWrite, { settings }: ResourceScope): AdmitObject {
  const validate = validating(write, 'CREATE')
  return async (object, oldObject) => {
    await settings.authorizeCreate(write.context)
    await validate(object, oldObject)
  }
}

/** A delete has no new object; both halves run on the object to delete. */
export function admittingDelete(write: AdmittedWrite): AdmitObject {
  const chain = write.route.admission
  return async (oldObject) => {
    if (!chain.handles('DELETE')) return
    const named = write.name === '' ? { ...write, name: oldObject.metadata.name ?? '' } : write
    const attributes = new WriteAttributes(named, 'DELETE', { object: undefined, oldObject, isFinal: true })
    await chain.admit(attributes)
    await chain.validate(attributes)
  }
}

/** Both halves, on the options of the connection. */
export async function admitConnect(write: AdmittedWrite, options: KubeObject): Promise<void> {
  const chain = write.route.admission
  if (!chain.handles('CONNECT')) return
  const attributes = new WriteAttributes(write, 'CONNECT', { object: options, oldObject: undefined, isFinal: false })
  await chain.admit(attributes)
  await chain.validate(attributes)
}
