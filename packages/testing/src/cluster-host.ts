import { mastersGroup, waitForNextTurn } from '@keelson/apimachinery'
import type { EmbeddedBackend, StoreImage } from '@keelson/backend-embedded'
import { createMemoryCertificateStore, createServerChain } from '@keelson/control-plane'
import type { ServerChain } from '@keelson/control-plane'
import { settle } from './cluster-clock.ts'
import type { ClusterClock } from './cluster-clock.ts'
import type { ClusterOptions } from './cluster-options.ts'
import { Faults, testUserAgent } from './faults.ts'
import { HeldControllers } from './held-controllers.ts'
import type { PreparedStore } from './prepared-stores.ts'
import { RequestLog } from './request-log.ts'
import { readError } from './resource-client.ts'
import { PastServer } from './stale-reads.ts'
import { UserTokens } from './user-tokens.ts'
import { isIdle, waitUntilIdle } from './wait-until-idle.ts'
import type { WorkloadsOptions } from './workloads/start-workloads.ts'

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

/** The running server of a cluster with its store. */
export class ClusterHost {
  readonly tokens: UserTokens = new UserTokens()
  readonly clock: ClusterClock
  readonly store: EmbeddedBackend
  readonly requests: RequestLog = new RequestLog()
  readonly faults: Faults
  readonly #options: ClusterOptions
  #chain: ServerChain | undefined
  #workloads: AsyncDisposable | undefined
  #listening: Promise<string> | undefined
  #url: string | undefined
  #restarting: Promise<void> | undefined
  /** Set until the controllers start, if they are held back. */
  #held: HeldControllers | undefined
  /** Resolves when controllers that were held back have created their first objects. */
  #settling: Promise<void> | undefined
  #closing: Promise<void> | undefined

  private constructor({ store, clock }: PreparedStore, options: ClusterOptions) {
    this.store = store
    this.clock = clock
    this.#options = options
    this.faults = new Faults(this.requests, {
      keepPast: () => this.#keepPast(),
      restart: () => this.restart(),
      onError: (error) => options.log?.(0, 'Fault failed', { err: error }),
    })
  }

  /** Starts a server on a store, which it closes. Waits until controllers have created the first objects. */
  static async start(prepared: PreparedStore, options: ClusterOptions): Promise<ClusterHost> {
    const host = new ClusterHost(prepared, options)
    try {
      if (prepared.isSettled === true) host.#holdControllers()
      await host.#start(prepared.hasBootstrapObjects)
      return host
    } catch (error) {
      await host.close()
      throw error
    }
  }

  /** The running server. A restart replaces it. */
  get chain(): ServerChain {
    return this.#chain!
  }

  async #start(hasBootstrapObjects: boolean, port?: number): Promise<void> {
    const { server = {}, kinds = [], controllers = ['*'], log = () => {} } = this.#options
    const modules = kinds.flatMap(({ module }) => module ?? [])
    this.#chain = await createServerChain({
      ...server,
      filters: [{ name: 'faults', after: 'authorization', filter: this.faults.filter }, ...(server.filters ?? [])],
      admission: { ...server.admission, modules: [...(server.admission?.modules ?? []), ...modules] },
      clock: this.clock,
      controllers,
      ...(this.#held && { controllersStart: this.#held.start }),
      log,
      storage: { ...server.storage, backend: this.store, hasBootstrapObjects, opensOnUse: true },
      serving: { ...server.serving, certificates: { store: certificates, ...server.serving?.certificates }, ...(port && { port }) },
      authentication: { ...server.authentication, tokens: [this.tokens, ...(server.authentication?.tokens ?? [])] },
      lifecycle: { shutdownGraceMs, ...server.lifecycle },
    })
    await this.#chain.start()
    if (this.#held === undefined) await waitForNamespaceObjects(this.#chain)
    if (this.#options.workloads !== undefined) await this.#startWorkloads(this.#options.workloads, log)
  }

  #holdControllers(): void {
    const held = (this.#held = new HeldControllers(this.store, this.clock))
    void held.start.then(() => {
      this.#held = undefined
      this.#settling = this.#settle().finally(() => (this.#settling = undefined))
    })
  }

  /** Waits until controllers that have just started have created their first objects. */
  async #settle(): Promise<void> {
    try {
      await this.chain.ready
      await waitForNextTurn()
      await waitForNamespaceObjects(this.chain)
    } catch (error) {
      if (this.#closing === undefined) this.#options.log?.(0, 'Controllers failed', { err: error })
    }
  }

  async #startWorkloads(options: WorkloadsOptions, log: NonNullable<ClusterOptions['log']>): Promise<void> {
    const { startWorkloads } = await import('./workloads/start-workloads.ts')
    const { clock, chain } = this
    const onError = (error: unknown): void => log(1, 'A workload failed', { err: error })
    const bind = (namespace: string, pod: string, node: string): Promise<void> => bindPod(chain, { namespace, pod, node })
    this.#workloads = await startWorkloads({ client: chain.client, clock, bind, onError }, options)
  }

  /** Stops the server and starts it on the same store, with the same port, certificates and tokens. Resolves when it is ready. */
  restart(): Promise<void> {
    return (this.#restarting ??= this.#restart().finally(() => (this.#restarting = undefined)))
  }

  async #restart(): Promise<void> {
    const port = this.#url === undefined ? undefined : Number(new URL(this.#url).port)
    this.#held?.close()
    this.#held = undefined
    await this.#workloads?.[Symbol.asyncDispose]()
    await this.chain.close()
    if (this.#closing !== undefined) return
    await this.#start(true, port)
    if (port !== undefined) await this.chain.listen()
  }

  /** Returns a server that has the current state and no controllers. */
  #keepPast(): PastServer {
    const clock = this.clock.fork()
    const store = this.store.fork({ clock })
    const { workloads: _workloads, ...others } = this.#options
    const options = { ...others, controllers: ['none'] }
    return new PastServer(() => ClusterHost.start({ store, clock, hasBootstrapObjects: true }, options))
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
    const { revision } = this.store.takeSnapshot()
    await this.waitUntilIdle()
    if (this.store.takeSnapshot().revision === revision) return
    await this.store.restore(image)
    await this.waitUntilIdle()
  }

  /** Waits until the controllers have handled all changes and write nothing. */
  async waitUntilIdle(): Promise<void> {
    if (this.#held?.isSettled === true) return
    if (this.#held !== undefined) {
      this.#held.release()
      await this.#held.start
    }
    await this.#settling
    return waitUntilIdle(this.chain, () => this.store.takeSnapshot().revision)
  }

  /** Returns whether the controllers have handled all changes and write nothing. */
  async isIdle(): Promise<boolean> {
    if (this.#held !== undefined) return this.#held.isSettled
    return this.#settling === undefined && isIdle(this.chain, () => this.store.takeSnapshot().revision)
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  async #close(): Promise<void> {
    this.faults.clear()
    this.#held?.close()
    await this.#restarting?.catch(() => {})
    await this.#workloads?.[Symbol.asyncDispose]()
    await this.#chain?.close()
    await this.store[Symbol.asyncDispose]()
  }
}

/** Assigns a pod to a node, as the scheduler does. Faults do not hit the request. */
async function bindPod(
  chain: ServerChain,
  { namespace, pod, node }: Readonly<Record<'namespace' | 'node' | 'pod', string>>,
): Promise<void> {
  const response = await chain.fetch(`/api/v1/namespaces/${namespace}/pods/${pod}/binding`, {
    method: 'POST',
    user: { name: 'system:kube-scheduler', groups: [mastersGroup] },
    headers: { 'content-type': 'application/json', 'user-agent': testUserAgent },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'Binding', metadata: { name: pod }, target: { kind: 'Node', name: node } }),
  })
  if (!response.ok) throw await readError(response)
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
