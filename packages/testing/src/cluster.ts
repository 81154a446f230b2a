import { mastersGroup } from '@keelson/apimachinery'
import type { EmbeddedBackend } from '@keelson/backend-embedded'
import { createServerChain } from '@keelson/control-plane'
import type { ServerChain } from '@keelson/control-plane'
import { ClusterClient } from './cluster-client.ts'
import type { ClusterHost } from './cluster-client.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { UserTokens } from './user-tokens.ts'

const administrator = { name: 'kubernetes-admin', groups: [mastersGroup] }
/** Time in milliseconds that requests in flight get to finish when the cluster closes. */
const shutdownGraceMs = 1000

/** A Kubernetes API server inside this process. Its own methods act as an administrator. */
export class KeelsonCluster extends ClusterClient implements AsyncDisposable {
  readonly #host: Host

  /** Starts a server on a store, which the cluster closes. */
  static async start(store: EmbeddedBackend, options: ClusterOptions): Promise<KeelsonCluster> {
    const host = await Host.start(store, options)
    const cluster = new KeelsonCluster(host)
    try {
      if (options.listen === true) await host.listen()
      if (options.manifests !== undefined) await cluster.apply(options.manifests)
    } catch (error) {
      await cluster.close()
      throw error
    }
    return cluster
  }

  private constructor(host: Host) {
    super(host, administrator)
    this.#host = host
  }

  /** URL of the server. Undefined until `listen` or `kubeconfig` was called. */
  get url(): string | undefined {
    return this.#host.url
  }

  /** Opens a port of 127.0.0.1, if it is not open yet. Returns the URL of the server. */
  listen(): Promise<string> {
    return this.#host.listen()
  }

  /** Ends all requests and watches, stops the server, and frees its memory. */
  close(): Promise<void> {
    return this.#host.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

/** The running server of a cluster with its store. */
class Host implements ClusterHost {
  readonly chain: ServerChain
  readonly tokens: UserTokens
  readonly #store: EmbeddedBackend
  #listening: Promise<string> | undefined
  #url: string | undefined
  #closing: Promise<void> | undefined

  private constructor(chain: ServerChain, store: EmbeddedBackend, tokens: UserTokens) {
    this.chain = chain
    this.tokens = tokens
    this.#store = store
  }

  static async start(store: EmbeddedBackend, { server = {}, controllers = ['*'], log = () => {} }: ClusterOptions): Promise<Host> {
    const tokens = new UserTokens()
    try {
      const chain = await createServerChain({
        ...server,
        controllers,
        log,
        storage: { ...server.storage, backend: store },
        authentication: { ...server.authentication, tokens: [tokens, ...(server.authentication?.tokens ?? [])] },
        lifecycle: { shutdownGraceMs, ...server.lifecycle },
      })
      const host = new Host(chain, store, tokens)
      await chain.start().catch(async (error: unknown) => {
        await host.close()
        throw error
      })
      return host
    } catch (error) {
      await store[Symbol.asyncDispose]()
      throw error
    }
  }

  get url(): string | undefined {
    return this.#url
  }

  listen(): Promise<string> {
    return (this.#listening ??= this.chain.listen().then(() => (this.#url = this.chain.url)))
  }

  close(): Promise<void> {
    return (this.#closing ??= this.chain.close().then(() => this.#store[Symbol.asyncDispose]()))
  }
}
