import { isApiError, isPathSegmentName, newUnknownError, pause, quote, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
import type { Informer } from '@keelson/loopback'
import type { AdmissionAttributes } from './admission.ts'
import type { PluginDependencies } from './admission-plugins.ts'
import { forbidden } from './forbidden.ts'

const longestWait = 10_000

/**
 * From the informer's copy, at once; what that does not know is asked of the store. undefined: not there, or the resource is not served. Fails
 * for a name that no request can carry.
 */
export function findObject<T extends KubeObject>(
  { client, informers }: PluginDependencies,
  resource: GroupResource,
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
): DeepReadonly<T> | undefined | Promise<DeepReadonly<T> | undefined> {
  const known = informers.of<T>(resource)?.get(namespace, name)
  if (known !== undefined) return known
  const store = client.resource<T>(resource)
  const refusal = store && unaskable(name)
  return refusal === undefined ? store?.get(namespace, name, { resourceVersion: '' }) : Promise.reject(newUnknownError(refusal))
}

/** The same where the original looks into its copy only: what no request can name is not there. */
export function findCopied<T extends KubeObject>(
  dependencies: PluginDependencies,
  resource: GroupResource,
  named: { readonly namespace?: string; readonly name: string },
): DeepReadonly<T> | undefined | Promise<DeepReadonly<T> | undefined> {
  return unaskable(named.name) === undefined ? findObject<T>(dependencies, resource, named) : undefined
}

/** Why the original's client does not ask for it, in its words. */
function unaskable(name: string): string | undefined {
  if (name === '') return 'resource name may not be empty'
  const messages = isPathSegmentName(name)
  return messages.length === 0 ? undefined : `invalid resource name ${quote(name)}: [${messages.join(' ')}]`
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
