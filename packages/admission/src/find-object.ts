import { isPathSegmentName, newUnknownError, pause, quote, systemClock } from '@keelson/apimachinery'
import type { DeepReadonly, GroupResource, KubeObject } from '@keelson/apimachinery'
import type { Informer } from '@keelson/loopback'
import type { AdmissionAttributes } from './admission.ts'
import type { PluginDependencies } from './admission-plugins.ts'
import { newForbiddenWrite } from './forbidden.ts'

const syncTimeout = 10_000

/**
 * Finds an object in its informer without waiting, or otherwise in the store. Returns undefined if the object does not exist or the
 * resource is not served. Rejects if the name is invalid.
 */
export function findObject<T extends KubeObject>(
  { client, informers }: PluginDependencies,
  resource: GroupResource,
  { namespace = '', name }: { readonly namespace?: string; readonly name: string },
): DeepReadonly<T> | undefined | Promise<DeepReadonly<T> | undefined> {
  const known = informers.of<T>(resource)?.get(namespace, name)
  if (known !== undefined) return known
  const store = client.resource<T>(resource)
  const refusal = store && findNameError(name)
  return refusal === undefined ? store?.get(namespace, name, { resourceVersion: '' }) : Promise.reject(newUnknownError(refusal))
}

/**
 * Finds an object like `findObject`. Returns undefined for invalid names: kube-apiserver uses only its informer in these cases, so an
 * invalid name is not an error.
 */
export function findObjectLenient<T extends KubeObject>(
  dependencies: PluginDependencies,
  resource: GroupResource,
  named: { readonly namespace?: string; readonly name: string },
): DeepReadonly<T> | undefined | Promise<DeepReadonly<T> | undefined> {
  return findNameError(named.name) === undefined ? findObject<T>(dependencies, resource, named) : undefined
}

/** Returns client-go's error message for a name that cannot be part of a URL. Returns undefined for valid names. */
function findNameError(name: string): string | undefined {
  if (name === '') return 'resource name may not be empty'
  const messages = isPathSegmentName(name)
  return messages.length === 0 ? undefined : `invalid resource name ${quote(name)}: [${messages.join(' ')}]`
}

/**
 * Lists all objects of a small resource from its informer. Waits until the informer has its initial list. Throws 403 if that takes too
 * long.
 */
export function listObjects<T extends KubeObject>(
  { informers, clock = systemClock }: PluginDependencies,
  resource: GroupResource,
  attributes: AdmissionAttributes,
  namespace?: string,
): readonly DeepReadonly<T>[] | Promise<readonly DeepReadonly<T>[]> {
  const informer = informers.of<T>(resource)
  if (informer === undefined) return []
  if (informer.hasSynced) return informer.list(namespace)
  return runWhenSynced(informer, pause(clock, syncTimeout, { signal: attributes.context.signal }), attributes).then(() =>
    informer.list(namespace),
  )
}

async function runWhenSynced<T extends KubeObject>(
  informer: Informer<T>,
  timeout: Promise<void>,
  attributes: AdmissionAttributes,
): Promise<void> {
  await Promise.race([informer.synced, timeout])
  if (!informer.hasSynced) throw newForbiddenWrite(attributes, 'not yet ready to handle request')
}
