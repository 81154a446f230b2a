import type { LoopbackClient } from '@keelson/loopback'

/** A running (or about to run) API server. As many as wanted live in one process. */
export interface ServerChain extends AsyncDisposable {
  /** "https://127.0.0.1:6443". Throws before `listen`. */
  readonly url: string
  /** Resolves when `/readyz` says ok; rejects when the start failed. Pending before `listen`. */
  readonly ready: Promise<void>
  /** The text of an administrator's kubeconfig. Throws before `listen`: it has the URL. */
  readonly kubeconfig: string
  readonly kubeconfigPath: string | undefined
  /** A bearer token of `system:masters`, of this run alone. */
  readonly adminToken: string
  /** PEM: what a client must trust. */
  readonly certificateAuthority: string
  /** In process, with the identity `system:apiserver`. */
  readonly client: LoopbackClient
  /** Binds the port and begins the start; `ready` tells when it is over. */
  listen(): Promise<void>
  /** Politely: `/readyz` fails, watches end, what is in flight finishes within its bound, then the store closes. */
  close(): Promise<void>
}
