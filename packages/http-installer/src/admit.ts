import type { AdmissionAttributes, AdmissionOperation } from '@keelson/admission'
import type { DeleteOptions, GroupVersionKind, GroupVersionResource, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { AdmitObject } from '@keelson/registry'
import type { WriteRequestOptions } from './query-options.ts'
import type { ResourceScope } from './scope.ts'

/** The write that admission looks at, apart from the objects. */
export interface AdmittedWrite {
  readonly scope: ResourceScope
  readonly context: RequestContext
  readonly name: string
  readonly dryRun: boolean
  readonly options: WriteRequestOptions | DeleteOptions
}

/** The mutating half, before the registry sees the object. */
export function admit(
  write: AdmittedWrite,
  operation: AdmissionOperation,
  object: KubeObject | undefined,
  old: KubeObject | undefined,
): Promise<void> | void {
  const chain = write.scope.info.admission
  if (chain.handles(operation)) return chain.admit(new Attributes(write, operation, object, old))
}

/** The validating half, for the registry to call on the final object. */
export function validating(write: AdmittedWrite, operation: AdmissionOperation): AdmitObject {
  const chain = write.scope.info.admission
  return (object, old) => (chain.handles(operation) ? chain.validate(new Attributes(write, operation, object, old)) : undefined)
}

/** The validating half where a PUT or a patch creates: whoever may change may not create for that. */
export function validatingCreate(write: AdmittedWrite): AdmitObject {
  const validate = validating(write, 'CREATE')
  return async (object, old) => {
    await write.scope.settings.authorizeCreate(write.context)
    await validate(object, old)
  }
}

/** A delete has no new object; both halves run on what would be deleted. */
export function admittingDelete(write: AdmittedWrite): AdmitObject {
  const chain = write.scope.info.admission
  return async (object) => {
    if (!chain.handles('DELETE')) return
    const named = write.name === '' ? { ...write, name: object.metadata.name ?? '' } : write
    const attributes = new Attributes(named, 'DELETE', undefined, object)
    await chain.admit(attributes)
    await chain.validate(attributes)
  }
}

/** Both halves, on the options of the connection. */
export async function admitConnect(write: AdmittedWrite, options: KubeObject): Promise<void> {
  const chain = write.scope.info.admission
  if (!chain.handles('CONNECT')) return
  const attributes = new Attributes(write, 'CONNECT', options, undefined)
  await chain.admit(attributes)
  await chain.validate(attributes)
}

/** A class for its getter: the options are rarely asked for, and an object made with a getter of its own costs more than they do. */
class Attributes implements AdmissionAttributes {
  readonly context: RequestContext
  readonly operation: AdmissionOperation
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  readonly dryRun: boolean
  readonly #write: AdmittedWrite

  constructor(write: AdmittedWrite, operation: AdmissionOperation, object: KubeObject | undefined, old: KubeObject | undefined) {
    const { scope, context, name, dryRun } = write
    this.context = context
    this.operation = operation
    this.kind = scope.gvk
    this.resource = scope.gvr
    this.subresource = scope.subresource
    this.namespace = namespaceOf(write, object ?? old)
    this.name = name || (object?.metadata?.name ?? '')
    this.object = object
    this.oldObject = old
    this.dryRun = dryRun
    this.#write = write
  }

  get options(): Readonly<Record<string, unknown>> {
    return optionsOf(this.#write, this.operation)
  }
}

const optionsKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

/** By what the write does, not by its verb: a patch has the options of an update, or of a create. */
function optionsOf({ dryRun, options }: AdmittedWrite, operation: AdmissionOperation): Readonly<Record<string, unknown>> {
  if (operation === 'CONNECT') return {}
  const typed = { kind: optionsKinds[operation], apiVersion: 'meta.k8s.io/v1' }
  if (!('fieldValidation' in options)) return { ...typed, ...options }
  const { fieldManager, fieldValidation } = options
  return { ...typed, ...(dryRun ? { dryRun: ['All'] } : {}), ...(fieldManager === '' ? {} : { fieldManager }), fieldValidation }
}

/** A namespace is in itself. */
function namespaceOf({ scope, context, name }: AdmittedWrite, object: KubeObject | undefined): string {
  if (scope.gvr.group === '' && scope.resource === 'namespaces') return name || (object?.metadata?.name ?? '')
  return context.namespace
}
