import { compareVersions, parseGroupVersion } from '@keelson/apimachinery'
import type { GroupResource, KubeObject } from '@keelson/apimachinery'
import type { ServerChain } from '@keelson/control-plane'

type LoopbackClient = ServerChain['client']
export type ServedKind = ReturnType<LoopbackClient['listServedKinds']>[number]

/** The part of an object that names it. */
export interface ObjectReference {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: { readonly name?: string; readonly namespace?: string }
}

/** Returns the resource of a kind. Returns undefined if the server does not serve the kind. */
export function findKind(client: LoopbackClient, { apiVersion = '', kind }: ObjectReference): ServedKind | undefined {
  const { group, version } = parseGroupVersion(apiVersion)
  return client.listServedKinds().find((served) => served.kind === kind && served.group === group && served.version === version)
}

/**
 * Returns a resource by its name, such as "pods" or "deployments.apps". Without `version`, selects the most stable and newest version. Returns
 * undefined if the server does not serve the resource.
 */
export function findResource(client: LoopbackClient, name: string, version?: string): ServedKind | undefined {
  const { group, resource } = parseResourceName(name)
  return client
    .listServedKinds()
    .filter((served) => served.resource === resource && served.group === group && (version ?? served.version) === served.version)
    .toSorted((a, b) => compareVersions(a.version, b.version))[0]
}

/** Splits "deployments.apps" into the resource and its group. */
export function parseResourceName(name: string): GroupResource {
  const dot = name.indexOf('.')
  return dot < 0 ? { group: '', resource: name } : { group: name.slice(dot + 1), resource: name.slice(0, dot) }
}

/** Waits until `find` returns a resource, because the definition of a custom resource takes effect after it was created. */
export function waitUntilServed<T>(client: LoopbackClient, find: () => T | undefined, timeoutMs: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const check = (): void => {
      const resource = find()
      if (resource !== undefined) finish(resource)
    }
    const finish = (resource: T | undefined): void => {
      clearTimeout(timer)
      unsubscribe()
      resolve(resource)
    }
    const timer = setTimeout(() => finish(undefined), timeoutMs)
    const unsubscribe = client.subscribe(check)
    check()
  })
}

/** Waits until the informer of an object's resource, if there is one, has this version of the object or a newer one. */
export function waitUntilObserved({ client, informers }: ServerChain, object: KubeObject, timeoutMs: number): Promise<void> {
  const served = findKind(client, object)
  const informer = served && informers.find(served)
  if (informer === undefined) return Promise.resolve()
  const { namespace = '', name = '', resourceVersion } = object.metadata
  const isObserved = (): boolean => Number(informer.get(namespace, name)?.metadata.resourceVersion ?? 0) >= Number(resourceVersion)
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      unsubscribe()
      resolve()
    }
    const timer = setTimeout(finish, timeoutMs)
    let unsubscribe = (): void => {}
    if (isObserved()) finish()
    else unsubscribe = informer.subscribe(() => isObserved() && finish())
  })
}
