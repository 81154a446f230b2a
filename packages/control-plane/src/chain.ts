import type { Auditor } from '@keelson/audit'
import type { GroupHost, InstalledGroup } from '@keelson/http-installer'
import type { LoopbackClientBuilder, WorkQueueMetrics } from '@keelson/loopback'
import type { ApiGroup } from '@keelson/registry'
import { describeError, createKubeconfig, openDebugSocket, writeKubeconfig } from '@keelson/server'
import type { Server } from '@keelson/server'
import type { RequestTracer } from '@keelson/tracing'
import { formatUrlHost, findReachableAddress } from './addresses.ts'
import type { GenericConfig } from './build-generic-config.ts'
import type { Services } from './build-services.ts'
import type { ControllerRunner } from './controller-runner.ts'
import type { GroupServices } from './group-services.ts'
import { lifecycleDefaults } from './options/lifecycle.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import { servingDefaults } from './options/serving.ts'
import type { PostStartHooks } from './post-start-hooks.ts'
import type { ServerChain } from './server-chain.ts'
import type { ServerPresence } from './server-presence.ts'

/** Options of a server with a log function set. */
export type LoggedOptions = ServerChainOptions & Required<Pick<ServerChainOptions, 'log'>>

export interface ChainParts {
  readonly options: LoggedOptions
  readonly config: GenericConfig
  readonly server: Server
  readonly auditor: Auditor | undefined
  readonly tracer: RequestTracer
  readonly admission: AsyncDisposable
  readonly informers: ServerChain['informers']
  /** Address and port allocation. Undefined if the core group with its services is not installed. */
  readonly services: Services | undefined
  /** Tells other servers about this one. Undefined if leases are not served. */
  readonly presence: ServerPresence | undefined
  readonly flowControl: AsyncDisposable
  readonly host: GroupHost<GroupServices>
  readonly customResources: AsyncDisposable
  readonly aggregated: AsyncDisposable
  readonly client: LoopbackClientBuilder
  readonly queueMetrics: WorkQueueMetrics
  readonly hooks: PostStartHooks
  readonly controllers: ControllerRunner
  readonly onPort: (port: number) => Promise<void>
}

export class Chain implements ServerChain {
  readonly #components: ChainParts
  readonly #ready: PromiseParts
  /** True after `start` or `listen` was called. */
  #isStarted = false
  #haveHooksStarted = false
  #url: string | undefined
  #closing: Promise<void> | undefined
  #debugSocket: Promise<AsyncDisposable | undefined> | undefined

  constructor(components: ChainParts) {
    this.#components = components
    this.#ready = createPromiseParts()
    // Marks the rejection of `ready` as handled, because callers may ignore `ready`.
    this.#ready.promise.catch(() => {})
  }

  get ready(): Promise<void> {
    return this.#isStarted ? this.#ready.promise : Promise.reject(createNotStartedError('ready'))
  }

  get url(): string {
    if (this.#url === undefined) throw new Error('the server does not listen yet')
    return this.#url
  }

  get kubeconfig(): string {
    const { authority, admin } = this.#components.config.certificates
    return createKubeconfig({ server: this.url, certificateAuthority: authority, user: admin })
  }

  get kubeconfigPath(): string | undefined {
    return this.#components.options.serving?.kubeconfigPath
  }

  get adminToken(): string {
    return this.#components.config.authentication.adminToken
  }

  get certificateAuthority(): string {
    return this.#components.config.certificates.authority
  }

  get controllers(): readonly string[] {
    return this.#components.controllers.names
  }

  get busyWork(): readonly string[] {
    const { client, queueMetrics } = this.#components
    const queues = queueMetrics.listBusyQueues()
    return client.isHandlingEvents ? [...queues, 'watches'] : queues
  }

  get client(): ServerChain['client'] {
    if (!this.#isStarted) throw createNotStartedError('client')
    return this.#components.client
  }

  get informers(): ServerChain['informers'] {
    if (!this.#isStarted) throw createNotStartedError('informers')
    return this.#components.informers
  }

  async fetch(...request: Parameters<ServerChain['fetch']>): Promise<Response> {
    if (!this.#isStarted) throw createNotStartedError('fetch')
    return this.#components.server.fetch(...request)
  }

  install(group: ApiGroup<GroupServices>): InstalledGroup {
    return this.#components.host.install(group)
  }

  start(): Promise<void> {
    this.#isStarted = true
    this.#runHooks()
    return this.#ready.promise
  }

  async listen(): Promise<void> {
    const { server, options, onPort } = this.#components
    this.#isStarted = true
    const { bindAddress: host, port: wantedPort, kubeconfigPath } = { ...servingDefaults, ...options.serving }
    const { port } = await server.listen(wantedPort, host)
    this.#components.config.certificates.files.follow(server, (text) => options.log(0, text))
    this.#url = `https://${formatUrlHost(findReachableAddress(host))}:${port}`
    await onPort(port)
    if (kubeconfigPath !== undefined) await writeKubeconfig(kubeconfigPath, this.kubeconfig)
    await (this.#debugSocket = this.#openDebugSocket())
    this.#runHooks()
  }

  /** Opens the debug socket, if it is configured. A failure is only logged, as in kube-apiserver. */
  async #openDebugSocket(): Promise<AsyncDisposable | undefined> {
    const { diagnostics: { debugSocketPath: path, setVerbosity } = {}, log } = this.#components.options
    if (path === undefined) return undefined
    const onError = (error: unknown): void => log(0, 'Debug socket failed', { path, err: describeError(error) })
    return openDebugSocket(path, { onError, setVerbosity }).catch((error: unknown) => {
      onError(error)
      return undefined
    })
  }

  #runHooks(): void {
    if (this.#haveHooksStarted) return
    this.#haveHooksStarted = true
    this.#components.hooks.run().then(this.#ready.resolve, (error: unknown) => {
      if (this.#closing === undefined) this.#components.options.log(0, 'Start failed', { err: describeError(error) })
      this.#ready.reject(error)
    })
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close())
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    const {
      options,
      config,
      server,
      auditor,
      tracer,
      admission,
      informers,
      services,
      presence,
      flowControl,
      host,
      customResources,
      aggregated,
      controllers,
    } = this.#components
    this.#ready.reject(new Error('the server was closed before it was ready'))
    const { shutdownDelayMs, shutdownGraceMs } = { ...lifecycleDefaults, ...options.lifecycle }
    if (shutdownDelayMs > 0) {
      server.failReadiness()
      await new Promise((resolve) => setTimeout(resolve, shutdownDelayMs))
    }
    config.certificates.files.close()
    await Promise.all([services?.bootstrap.stop(), presence?.stop()])
    await server.close(shutdownGraceMs)
    await (await this.#debugSocket)?.[Symbol.asyncDispose]()
    await auditor?.close()
    await tracer.shutdown()
    await controllers.stop()
    await admission[Symbol.asyncDispose]()
    await config.authorization[Symbol.asyncDispose]()
    await informers[Symbol.asyncDispose]()
    await services?.close()
    await presence?.close()
    await flowControl[Symbol.asyncDispose]()
    await aggregated[Symbol.asyncDispose]()
    await customResources[Symbol.asyncDispose]()
    await host[Symbol.asyncDispose]()
    await config.backends[Symbol.asyncDispose]()
    config.authentication.close()
    config.encryption?.close()
    config.delegation?.[Symbol.dispose]()
  }
}

/** Creates the error for members that are used before `start` or `listen` was called. */
function createNotStartedError(member: string): Error {
  return new Error(`${member}: the server has not been started; call listen(), or start() for a server without a port, first`)
}

interface PromiseParts {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function createPromiseParts(): PromiseParts {
  let resolve!: () => void
  let reject!: (error: unknown) => void
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
