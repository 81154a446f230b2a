import { isApiError, pause, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
import type { Informer } from '@keelson/loopback'
import type { AdmissionAttributes } from './admission.ts'
import type { PluginDependencies } from './admission-plugins.ts'
import { forbidden } from './forbidden.ts'

const longestWait = 10_000

/** From the informer's copy, at once; what that does not know is asked of the store. undefined: not there, or the resource is not served. */
export function findObject<T extends KubeObject>(
  { client, informers }: PluginDependencies,
  resource: GroupResource,
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
): DeepReadonly<T> | undefined | Promise<DeepReadonly<T> | undefined> {
  return informers.of<T>(resource)?.get(namespace, name) ?? client.resource<T>(resource)?.get(namespace, name, { resourceVersion: '' })
}

/** All objects of a resource that few objects are of, from the informer. Waits for its first complete read, and refuses when that takes long. */
export function listObjects<T extends KubeObject>(
  { informers, clock = systemClock }: PluginDependencies,
  resource: GroupResource,
  attributes: AdmissionAttributes,
  namespace?: string,
): readonly DeepReadonly<T>[] | Promise<readonly DeepReadonly<T>[]> {
  const informer = informers.of<T>(resource)
  if (informer === undefined) return []
  if (informer.hasSynced) return informer.list(namespace)
  return whenSynced(informer, pause(clock, longestWait, { signal: attributes.context.signal }), attributes).then(() =>
    informer.list(namespace),
  )
}

async function whenSynced<T extends KubeObject>(
  informer: Informer<T>,
  late: Promise<void>,
  attributes: AdmissionAttributes,
): Promise<void> {
  await Promise.race([informer.synced, late])
  if (!informer.hasSynced) throw forbidden(attributes, 'not yet ready to handle request')
}

/** What the original would have put into a sentence. */
export function messageOf(error: unknown): string {
  return isApiError(error) || error instanceof Error ? error.message : String(error)
}
