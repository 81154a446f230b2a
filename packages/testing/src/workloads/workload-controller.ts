import type { ResourceTypes } from '@keelson/admission'
import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { isApiError } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { WorkQueue, createSharedInformers } from '@keelson/loopback'
import type { Informer, LoopbackClient, LoopbackResource, SharedInformers } from '@keelson/loopback'

export type Pod = ResourceTypes['pods']
export type ReplicaSet = ResourceTypes['replicasets.apps']
export type Deployment = ResourceTypes['deployments.apps']

/** Dependencies of the controllers of workloads. */
export interface WorkloadContext {
  readonly client: LoopbackClient
  readonly clock: Clock
  readonly informers: SharedInformers
  readonly onError: (error: unknown) => void
  /** Assigns a pod to a node, as a scheduler does. */
  readonly bind: (namespace: string, pod: string, node: string) => Promise<void>
}

export function createWorkloadInformers(client: LoopbackClient, clock: Clock, onError: (error: unknown) => void): SharedInformers {
  return createSharedInformers(client, { clock, onError })
}

/** A resource with its informer. */
export interface Followed<T extends KubeObject> {
  readonly resource: LoopbackResource<T>
  readonly informer: Informer<T>
}

/** Returns a resource with its informer. Throws if the server does not serve the resource. */
export function followResource<T extends KubeObject>({ client, informers }: WorkloadContext, group: string, resource: string): Followed<T> {
  const found = client.resource<T>({ group, resource })
  const informer = informers.of<T>({ group, resource })
  if (found === undefined || informer === undefined) throw new Error(`workloads need ${resource}, which the server does not serve`)
  return { resource: found, informer }
}

interface ControllerOptions<T extends KubeObject> {
  readonly followed: Followed<T>
  /** Brings one object closer to its state. Gets the stored object, not the copy of the informer. `repeatAfter` reconciles the object again after some milliseconds. */
  readonly reconcile: (object: DeepReadonly<T>, repeatAfter: (milliseconds: number) => void) => Promise<void>
}

const passingReasons = ['NotFound', 'Conflict', 'AlreadyExists'] as const

/** Starts a controller that reconciles each object when it changes. `add` reconciles an object for another reason. */
export function startWorkloadController<T extends KubeObject>(
  { clock, onError }: WorkloadContext,
  { followed: { resource, informer }, reconcile }: ControllerOptions<T>,
): AsyncDisposable & { readonly add: (namespace: string, name: string) => void } {
  const queue = new WorkQueue({
    // One worker makes the order of writes the same in each run.
    workers: 1,
    clock,
    async process(key) {
      const [namespace = '', name = ''] = key.split('/')
      const object = await resource.get(namespace, name, { resourceVersion: '' })
      if (object === undefined) return
      try {
        await reconcile(object, (milliseconds) => queue.addAfter(key, milliseconds))
      } catch (error) {
        // An object was changed, deleted or created in the meantime. Its next change reconciles this object again.
        if (!passingReasons.some((reason) => isApiError(error, reason))) throw error
      }
    },
    onError: (_key, error) => onError(error),
  })
  const add = (namespace: string, name: string): void => queue.add(`${namespace}/${name}`)
  const unsubscribe = informer.subscribe(({ object: { metadata } }) => add(metadata.namespace ?? '', metadata.name ?? ''))
  return {
    add,
    async [Symbol.asyncDispose]() {
      unsubscribe()
      await queue[Symbol.asyncDispose]()
    },
  }
}

/** Returns the name of the owner that controls an object, if it has this kind. */
export function findController({ metadata }: DeepReadonly<KubeObject>, kind: string): string | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true && reference.kind === kind)?.name
}

/** Returns whether an object is controlled by exactly this owner. */
export function isControlledBy({ metadata }: DeepReadonly<KubeObject>, owner: DeepReadonly<KubeObject>): boolean {
  return metadata.ownerReferences?.some(({ controller, uid }) => controller === true && uid === owner.metadata.uid) === true
}
