import type { InstalledGroup } from '@keelson/http-installer'
import type { LoopbackClient } from '@keelson/loopback'
import type { ApiGroup } from '@keelson/registry'
import type { FetchInit } from '@keelson/server'
import type { GroupServices } from './group-services.ts'

/** A running (or about to run) API server. As many as wanted live in one process. */
export interface ServerChain extends AsyncDisposable {
  /** "https://127.0.0.1:6443". Throws before `listen`. */
  readonly url: string
  /** Resolves when `/readyz` says ok; rejects when the start failed, and before `start` or `listen` was called. */
  readonly ready: Promise<void>
  /** The text of an administrator's kubeconfig. Throws before `listen`: it has the URL. */
  readonly kubeconfig: string
  readonly kubeconfigPath: string | undefined
  /** A bearer token of `system:masters`, of this run alone. */
  readonly adminToken: string
  /** PEM: what a client must trust. */
  readonly certificateAuthority: string
  /** In process, with the identity `system:apiserver`. Throws before `start` or `listen` was called. */
  readonly client: LoopbackClient
  /**
   * Serves a request in process, without a port, as a connection's request is served: authentication, admission, streams and watches included.
   * Takes what the global `fetch` takes, and a path alone for an address. The request is anonymous unless it carries credentials
   * (`adminToken` is the administrator's) or `user` names whom it is from. Aborting its signal or cancelling the body ends it, a watch too.
   *
   * @example
   * const answer = await chain.fetch('/api/v1/namespaces/default/configmaps?watch=1', { user: { name: 'alice', groups: ['system:masters'] } })
   */
  fetch(input: Request | URL | string, init?: FetchInit): Promise<Response>
  /**
   * Serves one more API group from the next request on, while the server runs. Disposing the result removes the group with all that it brought;
   * its open watches end. What is stored stays, and is served again when the group comes back.
   *
   * @example
   * await using widgets = chain.install(defineApiGroup({ name: 'example.com', priority: 100, types: [exampleV1], resources: [widgets] }))
   */
  install(group: ApiGroup<GroupServices>): InstalledGroup
  /** Starts everything but the port: storage, hooks, controllers. Resolves when the server is ready. `listen` may follow. */
  start(): Promise<void>
  /** Binds the port and begins the start; `ready` tells when it is over. */
  listen(): Promise<void>
  /** Politely: `/readyz` fails, watches end, what is in flight finishes within its bound, then the store closes. */
  close(): Promise<void>
}
