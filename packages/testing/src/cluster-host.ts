import type { EmbeddedBackend, StoreImage } from '@keelson/backend-embedded'
import { createMemoryCertificateStore, createServerChain } from '@keelson/control-plane'
import type { ServerChain } from '@keelson/control-plane'
import { settle } from './cluster-clock.ts'
import type { ClusterClock } from './cluster-clock.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { Faults } from './faults.ts'
import type { PreparedStore } from './prepared-stores.ts'
import { RequestLog } from './request-log.ts'
import { UserTokens } from './user-tokens.ts'
import { waitUntilIdle } from './wait-until-idle.ts'

/** Time in milliseconds that requests in flight get to finish when the cluster closes. */
const shutdownGraceMs = 1000
/** Certificates and keys of all clusters in this process, because generating them would take a large part of each start. */
const certificates = createMemoryCertificateStore()

/** Attempts to find an object that a controller creates. */
const maxAttempts = 1000

/** Objects that controllers create in each namespace. */
const namespaceObjects = [
  { resource: 'serviceaccounts', name: 'default', controller: 'serviceaccount-controller' },
  { resource: 'configmaps', name: 'kube-root-ca.crt', controller: 'root-ca-certificate-publisher-controller' },
] as const

type HostParts = Pick<ClusterHost, 'store' | 'clock' | 'tokens' | 'requests' | 'faults'>

/** The running server of a cluster with its store. */
export class ClusterHost {
  readonly chain: ServerChain
  readonly tokens: UserTokens
  readonly clock: ClusterClock
  readonly store: EmbeddedBackend
  readonly requests: RequestLog
  readonly faults: Faults
  #listening: Promise<string> | undefined
  #url: string | undefined
  #closing: Promise<void> | undefined

  private constructor(chain: ServerChain, { store, clock, tokens, requests, faults }: HostParts) {
    this.chain = chain
    this.store = store
    this.clock = clock
    this.tokens = tokens
    this.requests = requests
    this.faults = faults
  }

  /** Starts a server on a store, which it closes. Waits until controllers have created the first objects. */
  static async start({ store, clock, hasBootstrapObjects }: PreparedStore, options: ClusterOptions): Promise<ClusterHost> {
    const { server = {}, controllers = ['*'], log = () => {} } = options
    const tokens = new UserTokens()
    const requests = new RequestLog()
    const faults = new Faults(requests)
    let host: ClusterHost | undefined
    try {
      const chain = await createServerChain({
        ...server,
        filters: [{ name: 'faults', after: 'authorization', filter: faults.filter }, ...(server.filters ?? [])],
        clock,
        controllers,
        log,
        storage: { ...server.storage, backend: store, hasBootstrapObjects },
        serving: { ...server.serving, certificates: { store: certificates, ...server.serving?.certificates } },
        authentication: { ...server.authentication, tokens: [tokens, ...(server.authentication?.tokens ?? [])] },
        lifecycle: { shutdownGraceMs, ...server.lifecycle },
      })
      host = new ClusterHost(chain, { store, clock, tokens, requests, faults })
      await chain.start()
      await waitForNamespaceObjects(chain)
      return host
    } catch (error) {
      await (host?.close() ?? store[Symbol.asyncDispose]())
      throw error
    }
  }

  /** URL of the server. Undefined if it has no port. */
  get url(): string | undefined {
    return this.#url
  }

  /** Opens the port on the first call. Returns the URL. */
  listen(): Promise<string> {
    return (this.#listening ??= this.chain.listen().then(() => (this.#url = this.chain.url)))
  }

  /**
   * Replaces all objects. Then waits until the server's components have handled the changes, and removes what controllers wrote for the replaced
   * objects in the meantime. Later writes belong to the restored objects.
   */
  async restore(image: StoreImage): Promise<void> {
    await this.store.restore(image)
    const { revision } = this.store.snapshot()
    await this.waitUntilIdle()
    if (this.store.snapshot().revision === revision) return
    await this.store.restore(image)
    await this.waitUntilIdle()
  }

  /** Waits until the controllers have handled all changes and write nothing. */
  waitUntilIdle(): Promise<void> {
    return waitUntilIdle(this.chain, () => this.store.snapshot().revision)
  }

  close(): Promise<void> {
    return (this.#closing ??= this.chain.close().then(() => this.store[Symbol.asyncDispose]()))
  }
}

/** Waits until the running controllers have created their objects in the namespaces that exist from the start. */
async function waitForNamespaceObjects({ client, controllers }: ServerChain): Promise<void> {
  const namespaces = await client.resource({ group: '', resource: 'namespaces' })?.list()
  for (const { resource, name, controller } of namespaceObjects) {
    const objects = client.resource({ group: '', resource })
    if (!controllers.includes(controller) || objects === undefined) continue
    for (const { metadata } of namespaces?.items ?? []) {
      const { name: namespace = '' } = metadata
      for (let attempt = 0; (await objects.get(namespace, name, { resourceVersion: '' })) === undefined; attempt++) {
        if (attempt === maxAttempts) throw new Error(`${controller} has not created ${resource} ${namespace}/${name}`)
        await settle()
      }
    }
  }
}
