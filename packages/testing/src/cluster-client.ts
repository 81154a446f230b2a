import type { ResourceTypes } from '@keelson/admission'
import type { CustomKind } from '@keelson/apiextensions/kinds'
import { parseGroupVersion } from '@keelson/apimachinery'
import type { KubeObject, UserInfo } from '@keelson/apimachinery'
import { formatServiceAccountUserName, listServiceAccountGroups } from '@keelson/auth'
import { createKubeconfig, writeKubeconfig } from '@keelson/control-plane'
import type { ClusterHost } from './cluster-host.ts'
import { testUserAgent } from './faults.ts'
import { fillKubeConfig } from './kube-config.ts'
import type { KubeConfigOfClientNode } from './kube-config.ts'
import { readManifests, sortForApply } from './manifests.ts'
import type { Manifests } from './manifests.ts'
import { ResourceClient } from './resource-client.ts'
import { findKind, findResource, waitUntilObserved, waitUntilServed } from './served-resources.ts'
import type { ObjectReference, ServedKind } from './served-resources.ts'
import type { WaitCondition, WaitOptions } from './wait-conditions.ts'

/** Names of resources with known types, such as "pods" and "deployments.apps". */
export type TypedResourceName = Exclude<keyof ResourceTypes, '*' | `${string}/${string}`>

export interface ResourceOptions {
  /** Namespace of all requests. */
  readonly namespace?: string
  /** Version of the resource. Default: the most stable and newest version. */
  readonly version?: string
}

/** Identity of requests. The group `system:authenticated` is always added. */
export interface Identity {
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Time in milliseconds for which the server may take to serve a new custom resource. */
const definitionTimeoutMs = 10_000
/** Time in milliseconds for which `apply` waits until the server acts on the objects. */
const observationTimeoutMs = 1000
const fieldManager = testUserAgent

/** Access to a cluster with the identity of one user. */
export class ClusterClient {
  readonly user: UserInfo
  readonly #host: ClusterHost

  constructor(host: ClusterHost, user: UserInfo) {
    this.#host = host
    this.user = user
  }

  /**
   * Serves a request in process, without a socket. Takes the arguments of the global `fetch`; the URL is a path.
   *
   * @example
   * const response = await cluster.fetch('/api/v1/namespaces/default/configmaps?watch=1')
   */
  readonly fetch = (input: Request | URL | string, init: RequestInit = {}): Promise<Response> =>
    this.#host.chain.fetch(input, { ...init, user: this.user })

  /** Sends a request of the test itself. Faults do not apply to it, and the request log omits it. */
  readonly #fetchForTest = (path: string, { headers, ...init }: RequestInit = {}): Promise<Response> =>
    this.fetch(path, { ...init, headers: { ...(headers as Record<string, string> | undefined), 'user-agent': testUserAgent } })

  /**
   * Returns the verbs of a resource. Objects of built-in resources are typed; for others, name the type. Throws if the server does not serve
   * the resource.
   *
   * @example
   * const deployment = await cluster.resource('deployments.apps').get('web')
   * const widget = await cluster.resource<Widget>('widgets.example.com').get('w')
   */
  resource<R extends TypedResourceName>(name: R, options?: ResourceOptions): ResourceClient<ResourceTypes[R]>
  resource<T extends KubeObject, Input extends KubeObject>(kind: CustomKind<T, Input>, options?: ResourceOptions): ResourceClient<T, Input>
  resource<T extends KubeObject = KubeObject>(name: string, options?: ResourceOptions): ResourceClient<T>
  resource(nameOrKind: CustomKind | string, { namespace, version }: ResourceOptions = {}): ResourceClient {
    const name = typeof nameOrKind === 'string' ? nameOrKind : nameOrKind.resource
    const served = findResource(this.#host.chain.client, name, version)
    if (served === undefined) throw new Error(`the server does not serve ${name}${version === undefined ? '' : ` ${version}`}`)
    return this.#open(served, namespace)
  }

  /**
   * Applies manifests with server-side applies. Definitions and namespaces come first, and custom objects wait for their definitions. Then waits
   * until authorizers, admission plugins and controllers have seen the objects. Returns the objects.
   *
   * @example
   * await cluster.apply('deploy/*.yaml')
   * await cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { color: 'red' } })
   */
  async apply(manifests: Manifests): Promise<readonly KubeObject[]> {
    const applied: KubeObject[] = []
    for (const object of sortForApply(await readManifests(manifests))) {
      const resource = await this.#findResource(object)
      applied.push(await resource.apply(object, { force: true }))
    }
    await Promise.all(applied.map((object) => waitUntilObserved(this.#host.chain, object, observationTimeoutMs)))
    return applied
  }

  /**
   * Waits until an object meets a condition: "exists", "deleted", a condition in its status such as "Ready", or a function. Returns the object.
   * Throws `WaitTimeoutError` with the last state of the object if the time is over.
   *
   * @example
   * const pod = await cluster.waitFor({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } }, 'Ready')
   */
  async waitFor<T extends KubeObject = KubeObject>(
    object: ObjectReference,
    condition: WaitCondition<T>,
    options: WaitOptions = {},
  ): Promise<T> {
    const resource = await this.#findResource(object)
    return (resource as unknown as ResourceClient<T>).waitFor(requireName(object), condition, options)
  }

  /**
   * Returns a client that acts as another user. Its permissions are those that RBAC gives to the user.
   *
   * @example
   * const alice = cluster.as('alice', { groups: ['dev'] })
   */
  as(name: string, identity: Identity = {}): ClusterClient {
    return new ClusterClient(this.#host, { groups: [], ...identity, name })
  }

  /** Returns a client that acts as a service account. The service account need not exist. */
  asServiceAccount(name: string, { namespace = 'default' }: { readonly namespace?: string } = {}): ClusterClient {
    return this.as(formatServiceAccountUserName(namespace, name), { groups: listServiceAccountGroups(namespace) })
  }

  /** Bearer token of the user. It is valid until the cluster closes. */
  get token(): string {
    return this.#host.tokens.issue(this.user)
  }

  /**
   * Creates a `KubeConfig` of @kubernetes/client-node 2. API clients, `Watch` and informers that use it are served in process, without a
   * socket. Exec, attach and port-forward need a port; call `listen` first.
   *
   * @example
   * const core = cluster.kubeConfig(KubeConfig).makeApiClient(CoreV1Api)
   */
  kubeConfig<T extends KubeConfigOfClientNode>(KubeConfig: new () => T): T {
    const { url, chain } = this.#host
    const { certificateAuthority } = chain
    return fillKubeConfig(new KubeConfig(), { fetch: this.fetch, url, certificateAuthority, userName: this.user.name, token: this.token })
  }

  /** Returns the text of a kubeconfig for kubectl and other programs. Opens the server's port if it is not open yet. */
  async kubeconfig(): Promise<string> {
    const server = await this.#host.listen()
    const { certificateAuthority } = this.#host.chain
    return createKubeconfig({ server, certificateAuthority, user: { token: this.token }, userName: this.user.name })
  }

  /** Writes the kubeconfig to a file that only its owner can read. */
  async writeKubeconfig(file: string): Promise<void> {
    await writeKubeconfig(file, await this.kubeconfig())
  }

  #open(served: ServedKind, namespace: string | undefined): ResourceClient {
    return new ResourceClient({ fetch: this.#fetchForTest, served, namespace, fieldManager })
  }

  /** Returns the resource of an object. Waits for a custom resource whose definition was just created. */
  async #findResource(object: ObjectReference): Promise<ResourceClient> {
    const { client } = this.#host.chain
    const served = findKind(client, object) ?? (await waitUntilServed(client, () => findKind(client, object), this.#getTimeout(object)))
    if (served === undefined) throw new Error(`the server does not serve ${object.kind} in ${object.apiVersion}`)
    return this.#open(served, object.metadata.namespace)
  }

  /** Built-in groups are served from the start, so only kinds of other groups are waited for. */
  #getTimeout({ apiVersion = '' }: ObjectReference): number {
    const { group } = parseGroupVersion(apiVersion)
    const isBuiltin = this.#host.chain.client.listServedKinds().some((served) => !served.isCustom && served.group === group)
    return isBuiltin ? 0 : definitionTimeoutMs
  }
}

function requireName({ kind, metadata }: ObjectReference): string {
  if (metadata.name === undefined) throw new TypeError(`${kind}: metadata.name must be set`)
  return metadata.name
}
