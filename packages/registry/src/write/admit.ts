import type { DeleteOptions, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { AdmissionOperation } from './admission.ts'
import { WriteAttributes } from './attributes.ts'
import type { AdmittedRoute, AdmittedWrite } from './attributes.ts'

/** The mutating half of admission, before the registry prepares the object. */
export function mutate(
  write: AdmittedWrite,
  operation: AdmissionOperation,
  object: KubeObject,
  oldObject: KubeObject | undefined,
): Promise<void> | void {
  const chain = write.route.admission
  if (chain.handles(operation)) return chain.admit(new WriteAttributes(write, operation, { object, oldObject, isFinal: false }))
}

/** The validating half of admission, on the final object. */
export function validate(
  write: AdmittedWrite,
  operation: AdmissionOperation,
  object: KubeObject,
  oldObject: KubeObject | undefined,
): Promise<void> | void {
  const chain = write.route.admission
  if (chain.handles(operation)) return chain.validate(new WriteAttributes(write, operation, { object, oldObject, isFinal: true }))
}

interface AdmittedDelete {
  readonly context: RequestContext
  readonly name: string
  readonly request: { readonly options: DeleteOptions; readonly dryRun: boolean; readonly route?: AdmittedRoute | undefined }
}

/** Both halves on the object to delete: a delete has no new object. */
export async function admitDelete({ context, name, request }: AdmittedDelete, oldObject: KubeObject): Promise<void> {
  const { route, dryRun, options } = request
  if (route === undefined || !route.admission.handles('DELETE')) return
  const write: AdmittedWrite = { route, context, name, dryRun, options }
  const attributes = new WriteAttributes(write, 'DELETE', { object: undefined, oldObject, isFinal: true })
  await route.admission.admit(attributes)
  await route.admission.validate(attributes)
}

/** Both halves on the options of a connection. */
export async function admitConnect(route: AdmittedRoute, context: RequestContext, name: string, options: KubeObject): Promise<void> {
  if (!route.admission.handles('CONNECT')) return
  const write: AdmittedWrite = { route, context, name, dryRun: false, options: {} }
  const attributes = new WriteAttributes(write, 'CONNECT', { object: options, oldObject: undefined, isFinal: false })
  await route.admission.admit(attributes)
  await route.admission.validate(attributes)
}
