import type { Binding, Pod } from '@keelson/api/core/v1'
import {
  aggregateFieldErrors,
  copyObject,
  fieldError,
  newFieldPath,
  newBadRequest,
  newConflict,
  newUnknownError,
} from '@keelson/apimachinery'
import type { FieldErrorList, GroupVersionKind, KubeObject, RequestContext } from '@keelson/apimachinery'
import { describeRESTStorage } from '@keelson/registry'
import type { Creater, CreateRequest, NamedCreater, RESTStorage, Store } from '@keelson/registry'
import { setPodCondition } from './pod-condition.ts'
import { createSuccessStatus } from './success.ts'

export const bindingKind: GroupVersionKind = { group: '', version: 'v1', kind: 'Binding' }
const targetPath = newFieldPath('target')

/**
 * Serves POST pods/NAME/binding, which assigns a pod to a node. Fails if the pod already has a node. The UID and the resource version in
 * the body are preconditions.
 */
export function createBindingSubresource(store: Store<Pod>): RESTStorage & NamedCreater {
  return {
    ...describeRESTStorage(bindingKind),
    keepsSystemFields: true,
    createNamed: (context, name, object, request) => bind(store, context, { name, binding: object as Binding, request }),
  }
}

/** Serves POST bindings, which works like POST pods/NAME/binding. The body contains the name of the pod. */
export function createBindings(store: Store<Pod>): RESTStorage & Creater {
  return {
    ...describeRESTStorage(bindingKind, { singularName: 'binding' }),
    create: (context, object, request) => bind(store, context, { name: object.metadata.name ?? '', binding: object as Binding, request }),
  }
}

interface Bind {
  readonly name: string
  readonly binding: Binding
  readonly request: CreateRequest
}

async function bind(store: Store<Pod>, context: RequestContext, { name, binding, request }: Bind): Promise<KubeObject> {
  const { metadata, target } = binding
  if ((metadata.name ?? '') !== name) throw newBadRequest('name in URL does not match name in Binding object')
  const errors = validateBinding(binding)
  if (errors.length > 0) throw newUnknownError(aggregateFieldErrors(errors))
  await request.validate?.(copyObject(binding), undefined)
  const { uid, resourceVersion } = metadata
  const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) }
  await store.rewrite(context, name, {
    change: (pod) => assign(context, pod, target.name ?? '', metadata),
    dryRun: request.dryRun,
    ...(Object.keys(preconditions).length > 0 && { preconditions }),
  })
  return createSuccessStatus()
}

function validateBinding({ target = {} }: Binding): FieldErrorList {
  const { kind = '', name = '' } = target
  const errors: FieldErrorList = []
  if (kind !== '' && kind !== 'Node') errors.push(fieldError.notSupported(targetPath.child('kind'), kind, ['Node', '<empty>']))
  if (name === '') errors.push(fieldError.required(targetPath.child('name')))
  return errors
}

function assign(context: RequestContext, pod: Pod, node: string, { annotations, labels }: Binding['metadata']): Pod {
  const { metadata } = pod
  const spec = (pod.spec ??= { containers: null })
  const refuse = (reason: string): never => {
    throw newConflict({ group: '', resource: 'pods/binding' }, metadata.name ?? '', `pod ${metadata.name} ${reason}`)
  }
  if (metadata.deletionTimestamp !== undefined) refuse('is being deleted, cannot be assigned to a host')
  if (spec.nodeName) refuse(`is already assigned to node "${spec.nodeName}"`)
  if ((spec.schedulingGates ?? []).length > 0) refuse('has non-empty .spec.schedulingGates')
  spec.nodeName = node
  delete pod.status?.nominatedNodeName
  if (annotations !== undefined) metadata.annotations = { ...metadata.annotations, ...annotations }
  if (labels !== undefined) metadata.labels = { ...metadata.labels, ...labels }
  setPodCondition(context, pod, { type: 'PodScheduled', status: 'True' })
  return pod
}
