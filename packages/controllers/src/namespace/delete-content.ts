import { isApiError } from '@keelson/apimachinery'
import type { DeepReadonly, DeleteOptions, GroupResource, KubeObject } from '@keelson/apimachinery'
import type { LoopbackClient, LoopbackResource } from '@keelson/loopback'
import type { ContentResource, ControllerContext, RemoteContent } from '../controller.ts'

export interface Remaining {
  /** Number of remaining objects by resource. Keys have the format "pods." (resource and group). */
  readonly resources: Map<string, number>
  readonly finalizers: Map<string, number>
  readonly errors: unknown[]
  /** Group versions of other API servers with unknown resources, and why they are unknown. */
  readonly failures: RemoteContent['failures']
  /** Seconds until the next check is useful. 0 if the namespace is empty. */
  estimate: number
}

type Content = Pick<ContentResource, 'deleteCollection' | 'list'>

interface Pod extends KubeObject {
  spec?: { nodeName?: string; terminationGracePeriodSeconds?: number }
  status?: { phase?: string }
}

/**
 * Delete options for the content of a namespace. Dependents are deleted together with the namespace, so the garbage collector need not
 * delete them first.
 */
const backgroundDeletion: DeleteOptions = { propagationPolicy: 'Background' }
const finalizerEstimate = 15
const pods: GroupResource = { group: '', resource: 'pods' }

/**
 * Deletes everything in a namespace. Deletes pods first, and the rest when no pod is left, because pods may use the other objects. If the
 * deletion of one resource fails, continues with the others.
 */
export async function deleteContent(
  { client, clock, remoteContent }: Pick<ControllerContext, 'client' | 'clock' | 'remoteContent'>,
  namespace: string,
  deletedAt: number,
): Promise<Remaining> {
  const { resources: remoteResources, failures } = remoteContent?.() ?? { resources: [], failures: new Map<string, string>() }
  const remaining: Remaining = { resources: new Map(), finalizers: new Map(), errors: [], failures, estimate: 0 }
  const resources = client.listDeletableResources().filter(({ namespaced }) => namespaced)
  const isPods = ({ group, resource }: GroupResource): boolean => group === '' && resource === 'pods'
  if (resources.some(isPods)) {
    const gracePeriod = await attempt(remaining, () => deletePods(client, namespace))
    const secondsSinceDeletion = (clock.now() - deletedAt) / 1000
    const grace = gracePeriod === undefined || secondsSinceDeletion >= gracePeriod ? 0 : gracePeriod
    await attempt(remaining, () => countLeft(client.resource(pods)!, pods, { namespace, remaining, grace }))
    if (remaining.resources.size > 0 || remaining.errors.length > 0) return remaining
  }
  for (const resource of resources) {
    if (isPods(resource)) continue
    const served = client.resource(resource)
    if (served !== undefined) await deleteResource(served, resource, { namespace, remaining })
  }
  for (const resource of remoteResources) await deleteResource(resource, resource, { namespace, remaining })
  return remaining
}

async function deleteResource(
  served: Content,
  resource: GroupResource,
  { namespace, remaining }: { readonly namespace: string; readonly remaining: Remaining },
): Promise<void> {
  await attempt(remaining, async () => {
    await deleteAll(served, namespace)
    await countLeft(served, resource, { namespace, remaining, grace: 0 })
  })
}

/**
 * Deletes all objects of a resource. Repeats the deletion if objects remain, because writes in flight may create objects during the first
 * one.
 */
async function deleteAll(served: Content, namespace: string): Promise<void> {
  for (let round = 1; round <= 3; round++) {
    await served.deleteCollection(namespace, backgroundDeletion)
    const { items } = await served.list({ namespace, resourceVersion: '' })
    if (items.every(({ metadata }) => (metadata.finalizers ?? []).length > 0)) return
  }
}

/** Deletes the pods of a namespace. Resolves to the longest grace period of the remaining pods, in seconds. */
async function deletePods(client: LoopbackClient, namespace: string): Promise<number> {
  const resource = client.resource<Pod>(pods)!
  const present = await resource.list({ namespace, resourceVersion: '' })
  await resource.deleteCollection(namespace, backgroundDeletion)
  let longest = 0
  for (const pod of present.items) {
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') continue
    if (await isOrphan(client, pod)) await deleteNow(resource, pod)
    else longest = Math.max(longest, pod.spec?.terminationGracePeriodSeconds ?? 0)
  }
  return longest
}

/** Returns whether the pod is bound to a node that does not exist. No kubelet will then confirm its termination. */
async function isOrphan(client: LoopbackClient, pod: DeepReadonly<Pod>): Promise<boolean> {
  const node = pod.spec?.nodeName ?? ''
  if (node === '') return true
  const nodes = client.resource({ group: '', resource: 'nodes' })
  return nodes === undefined || (await nodes.get('', node, { resourceVersion: '' })) === undefined
}

async function deleteNow(resource: LoopbackResource<Pod>, { metadata }: DeepReadonly<Pod>): Promise<void> {
  const { namespace = '', name = '', uid = '' } = metadata
  try {
    await resource.delete(namespace, name, { gracePeriodSeconds: 0, preconditions: { uid } })
  } catch (error) {
    // The pod was already deleted, or was replaced by another one that the next round deletes.
    if (!isApiError(error, 'NotFound') && !isApiError(error, 'Conflict')) throw error
  }
}

async function countLeft(
  served: Content,
  { group, resource }: GroupResource,
  { namespace, remaining, grace }: { readonly namespace: string; readonly remaining: Remaining; readonly grace: number },
): Promise<void> {
  const { items } = await served.list({ namespace, resourceVersion: '' })
  if (items.length === 0) return
  remaining.resources.set(`${resource}.${group}`, items.length)
  let remainingCount = 0
  for (const { metadata } of items) {
    if ((metadata.finalizers ?? []).length > 0) remainingCount++
    for (const finalizer of metadata.finalizers ?? []) remaining.finalizers.set(finalizer, (remaining.finalizers.get(finalizer) ?? 0) + 1)
  }
  remaining.estimate = Math.max(remaining.estimate, grace, remainingCount > 0 && grace === 0 ? finalizerEstimate : 0)
  if (remainingCount === 0 && grace === 0)
    throw new Error(`unexpected items still remain in namespace: ${namespace} for gvr: ${resource}.${group}`)
}

async function attempt<T>(remaining: Remaining, action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action()
  } catch (error) {
    // Ignores resources that were removed in the meantime, or that do not support deletion.
    if (!isApiError(error, 'NotFound') && !isApiError(error, 'MethodNotAllowed')) remaining.errors.push(error)
    return undefined
  }
}
