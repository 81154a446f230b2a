import type { InstalledGroup } from '@keelson/http-installer'
import type { LoopbackClient, SharedInformers } from '@keelson/loopback'
import type { ApiGroup } from '@keelson/registry'
import type { FetchInit } from '@keelson/server'
import type { GroupServices } from './group-services.ts'

/** An API server. Several can run in one process. */
export interface ServerChain extends AsyncDisposable {
  /** URL of the server, such as "https://127.0.0.1:6443". Throws before `listen` is called. */
  readonly url: string
  /** Resolves when the server is ready. Rejects if the start fails, or if neither `start` nor `listen` was called. */
  readonly ready: Promise<void>
  /** Content of a kubeconfig for the administrator. Throws before `listen` is called, because it contains the URL. */
  readonly kubeconfig: string
  readonly kubeconfigPath: string | undefined
  /** Bearer token of an administrator (group `system:masters`). It is valid until the server closes. */
  readonly adminToken: string
  /** CA certificate in PEM that clients must trust. */
  readonly certificateAuthority: string
  /** Names of the running controllers. They start when the server is ready. */
  readonly controllers: readonly string[]
  /**
   * Current work of the server's controllers: the names of queues that have keys to process, and "watches" if a watch has events that are not
   * handled yet. Delayed retries do not count. It is empty when the controllers have handled all changes that they have received.
   */
  readonly busyWork: readonly string[]
  /** In-process client with the identity `system:apiserver`. Throws before `start` or `listen` is called. */
  readonly client: LoopbackClient
  /** Informers that authorizers, admission plugins and controllers share. Throws before `start` or `listen` is called. */
  readonly informers: SharedInformers
  /**
   * Serves a request in process exactly like one from the network, including authentication, admission and watches. Accepts the arguments
   * of the global `fetch`; the URL may be a path only. The request is anonymous unless it has credentials (such as `adminToken`) or `user`
   * is set. Aborting its signal or cancelling the body ends the request.
   *
   * @example
   * const answer = await chain.fetch('/api/v1/namespaces/default/configmaps?watch=1', { user: { name: 'alice', groups: ['system:masters'] } })
   */
  fetch(input: Request | URL | string, init?: FetchInit): Promise<Response>
  /**
   * Adds an API group to the running server. Disposing the result removes the group with everything it installed and ends its watches.
   * Objects in the store are kept, and are served again when the group is installed again.
   *
   * @example
   * await using widgets = chain.install(defineApiGroup({ name: 'example.com', priority: 100, types: [exampleV1], resources: [widgets] }))
   */
  install(group: ApiGroup<GroupServices>): InstalledGroup
  /** Starts storage, hooks and controllers, but opens no port. Resolves when the server is ready. `listen` can be called later. */
  start(): Promise<void>
  /** Binds the port and starts the server. Resolves before the server is ready; await `ready` for that. */
  listen(): Promise<void>
  /**
   * Shuts the server down gracefully: `/readyz` fails, watches end, requests in flight finish within the grace period, and then the store
   * closes.
   */
  close(): Promise<void>
}
