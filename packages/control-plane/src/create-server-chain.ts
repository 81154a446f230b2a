import type { AdmissionChain } from '@keelson/admission'
import { systemClock } from '@keelson/apimachinery'
import { createLoopbackClient, createSharedInformers } from '@keelson/loopback'
import type { RemoteTls } from '@keelson/registry'
import {
  consoleLog,
  createDeprecationMetrics,
  createServer,
  createWatchMetrics,
  describeError,
  isAbort,
  kubeconfig,
  writeKubeconfig,
} from '@keelson/server'
import type { Server } from '@keelson/server'
import { advertiseAddress, bracketed, reachableAddress } from './addresses.ts'
import { authorizeCreate } from './authorize-create.ts'
import { buildAdmission, selectAdmissionPlugins } from './build-admission.ts'
import type { SelectedPlugins } from './build-admission.ts'
import { buildGenericConfig } from './build-generic-config.ts'
import type { GenericConfig } from './build-generic-config.ts'
import { createFlowControl } from './bootstrap/flow-control.ts'
import { createSystemNamespaces } from './bootstrap/system-namespaces.ts'
import { createSystemPriorityClasses } from './bootstrap/system-priority-classes.ts'
import { createTokenTracking } from './bootstrap/token-tracking.ts'
import { buildServing } from './build-serving.ts'
import type { Serving } from './build-serving.ts'
import { buildServices } from './build-services.ts'
import type { Services } from './build-services.ts'
import { builtinGroups } from './builtin-groups.ts'
import { ConfigurationError } from './configuration-error.ts'
import { ControllerRunner, wantedControllers } from './controller-runner.ts'
import { countStorage } from './count-storage.ts'
import { enabledVersions } from './enabled-versions.ts'
import { registerFeatureMetrics } from './feature-metrics.ts'
import { groupsToInstall } from './groups-to-install.ts'
import { installGroup, installLegacyAPIGroup } from './install-apis.ts'
import type { InstallTarget } from './install-apis.ts'
import { installOpenIdDocuments } from './open-id-endpoints.ts'
import { kubeletTls } from './kubelet-tls.ts'
import { newGroupRESTStorage } from './new-group-rest-storage.ts'
import { newLegacyRESTStorage } from './new-legacy-rest-storage.ts'
import { createOpenApi } from './openapi-pages.ts'
import { findOptionProblems } from './option-problems.ts'
import { PostStartHooks } from './post-start-hooks.ts'
import type { ServerChainOptions } from './server-chain-options.ts'
import type { ServerChain } from './server-chain.ts'
import { addStorageHealth, storagesReady } from './storage-health.ts'

/** Everything from the store to the port, wired. It does not listen yet. Throws `ConfigurationError` for options that cannot be satisfied. */
export async function createServerChain(given: ServerChainOptions = {}): Promise<ServerChain> {
  const problems = await findOptionProblems(given)
  if (problems.length > 0) throw new ConfigurationError(problems)
  const options: LoggedOptions = { ...given, log: given.log ?? consoleLog }
  const controllers = await ControllerRunner.create(wantedControllers(options))
  const plugins = await selectAdmissionPlugins(options)
  const tls = await kubeletTls(options.kubelet ?? {})
  const serving = await buildServing(options)
  const config = await buildGenericConfig(options)
  try {
    return wire(options, config, { controllers, plugins, kubeletTls: tls, serving })
  } catch (error) {
    await config.backends[Symbol.asyncDispose]()
    config.encryption?.close()
    throw error
  }
}

type LoggedOptions = ServerChainOptions & Required<Pick<ServerChainOptions, 'log'>>

interface Chosen {
  readonly controllers: ControllerRunner
  readonly plugins: SelectedPlugins
  readonly kubeletTls: () => Promise<RemoteTls>
  readonly serving: Serving
}

function wire(options: LoggedOptions, config: GenericConfig, { controllers, plugins, kubeletTls: tls, serving }: Chosen): ServerChain {
  const { log } = options
  const { clock } = config
  const now = (): number => clock.now()
  let admission: (AdmissionChain & AsyncDisposable) | undefined
  const client = createLoopbackClient({
    scheme: config.scheme,
    types: config.types,
    admission: () => admission,
    fieldManager: 'kube-apiserver',
    now,
  })
  const informers = createSharedInformers(client, { onError: (error) => log(0, 'Informer failed', { err: describeError(error) }) })
  admission = buildAdmission(plugins, { client, informers, clock: { now, after: systemClock.after } }, config.metrics)

  const server = createServer({
    authenticator: config.authentication.authenticator,
    authorizer: config.authorizer,
    tls: { ...config.certificates.serving, clientAuthorities: config.certificates.clientAuthorities, settings: serving.tls },
    cbor: serving.cbor,
    zpages: serving.zpages,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.requestTimeoutMs === undefined ? {} : { requestTimeoutMs: options.requestTimeoutMs }),
    http2: options.http2 ?? true,
    unref: options.unref ?? false,
    ...(options.maxStreamsPerConnection === undefined ? {} : { maxStreamsPerConnection: options.maxStreamsPerConnection }),
    ...(options.goAwayChance === undefined ? {} : { goAwayChance: options.goAwayChance }),
    ...(options.corsAllowedOrigins === undefined ? {} : { corsAllowedOrigins: options.corsAllowedOrigins }),
    ...(options.hstsDirectives === undefined ? {} : { hstsDirectives: options.hstsDirectives }),
    shutdownSendRetryAfter: options.shutdownSendRetryAfter ?? false,
    metrics: config.metrics,
    requestNow: now,
    log,
    logRequests: options.logRequests ?? false,
    profiling: options.profiling ?? false,
  })
  addStorageHealth(server, config)
  registerFeatureMetrics(config.metrics, serving.features)

  let port: number | undefined
  const advertised = advertiseAddress(options)
  const target: InstallTarget = {
    server,
    config,
    admission,
    client,
    options: {
      openApi: createOpenApi(),
      stopping: server.stopping,
      now,
      serverAddress: () => (port === undefined ? undefined : `${bracketed(advertised)}:${port}`),
      ...(options.minRequestTimeoutSeconds === undefined ? {} : { minRequestTimeoutSeconds: options.minRequestTimeoutSeconds }),
      authorizeCreate: authorizeCreate(config.authorizer),
      observeWatch: createWatchMetrics(config.metrics),
      observeDeprecated: createDeprecationMetrics(config.metrics),
      onInternalError: (error) => log(isAbort(error) ? 3 : 0, 'Internal error', { err: describeError(error) }),
    },
  }
  server.addListedPaths(() => ['/openapi/v2', '/openapi/v3', '/openapi/v3/'])
  const services = buildServices(config, options, client)
  const enabled = enabledVersions(options.runtimeConfig ?? {})
  const served = groupsToInstall(builtinGroups, (group) =>
    group.name === ''
      ? newLegacyRESTStorage(config, { ...options, client, allocators: services.allocators, kubelet: { ...options.kubelet, tls } })
      : newGroupRESTStorage(config, group, client),
  )
  for (const group of enabled(served)) {
    if (group.name === '') installLegacyAPIGroup(target, group)
    else installGroup(target, group)
  }

  const { serviceAccounts } = config.authentication
  serviceAccounts.readFrom(client)
  installOpenIdDocuments(server, () => serviceAccounts.documents(target.options.serverAddress?.() ?? advertised), log)

  const hooks = new PostStartHooks(server, options.livezGraceMs)
  hooks.add('storage-readiness', () => storagesReady(config, { log }))
  hooks.add(
    'storage-object-count-tracker-hook',
    async () => void countStorage(config.backends.main, config.storageMetrics, server.stopping),
  )
  const stored = { after: ['storage-readiness'] }
  hooks.add('start-system-namespaces-controller', () => createSystemNamespaces(client), stored)
  hooks.add('scheduling/bootstrap-system-priority-classes', () => createSystemPriorityClasses(client), stored)
  hooks.add('priority-and-fairness-config-producer', () => createFlowControl(client, now), stored)
  hooks.add('start-kubernetes-service-cidr-controller', () => services.bootstrap.syncRanges(), stored)
  hooks.add('start-service-ip-repair-controllers', () => services.repair.start(), { after: ['start-kubernetes-service-cidr-controller'] })
  hooks.add('start-legacy-token-tracking-controller', () => createTokenTracking(client, now), {
    after: ['start-system-namespaces-controller'],
  })
  hooks.add('start-controllers', async () =>
    controllers.start(client, {
      informers,
      clock,
      rootCA: config.certificates.authority,
      metrics: config.metrics,
      onError: (name, error) => log(0, 'Controller failed', { controller: name, err: describeError(error) }),
    }),
  )
  // The last: who finds the server's endpoint expects an answer.
  hooks.add('bootstrap-controller', () => services.bootstrap.start())

  return new Chain({
    options,
    config,
    server,
    admission,
    informers,
    services,
    client,
    hooks,
    controllers,
    onPort: async (bound) => {
      port = bound
      await services.bootstrap.listenOn(bound)
    },
  })
}

interface ChainParts {
  readonly options: LoggedOptions
  readonly config: GenericConfig
  readonly server: Server
  readonly admission: AsyncDisposable
  readonly informers: AsyncDisposable
  readonly services: Services
  readonly client: ServerChain['client']
  readonly hooks: PostStartHooks
  readonly controllers: ControllerRunner
  readonly onPort: (port: number) => Promise<void>
}

class Chain implements ServerChain {
  readonly #parts: ChainParts
  readonly #ready: PromiseParts
  /** Whether `start` or `listen` was called. */
  #begun = false
  #hooksRun = false
  #url: string | undefined
  #closing: Promise<void> | undefined

  constructor(parts: ChainParts) {
    this.#parts = parts
    this.#ready = promiseParts()
    // Whoever only listens and closes need not care about readiness.
    this.#ready.promise.catch(() => {})
  }

  get ready(): Promise<void> {
    return this.#begun ? this.#ready.promise : Promise.reject(notStarted('ready'))
  }

  get url(): string {
    if (this.#url === undefined) throw new Error('the server does not listen yet')
    return this.#url
  }

  get kubeconfig(): string {
    const { authority, admin } = this.#parts.config.certificates
    return kubeconfig({ server: this.url, certificateAuthority: authority, user: admin })
  }

  get kubeconfigPath(): string | undefined {
    return this.#parts.options.kubeconfigPath
  }

  get adminToken(): string {
    return this.#parts.config.authentication.adminToken
  }

  get certificateAuthority(): string {
    return this.#parts.config.certificates.authority
  }

  get client(): ServerChain['client'] {
    if (!this.#begun) throw notStarted('client')
    return this.#parts.client
  }

  async fetch(...request: Parameters<ServerChain['fetch']>): Promise<Response> {
    if (!this.#begun) throw notStarted('fetch')
    return this.#parts.server.fetch(...request)
  }

  start(): Promise<void> {
    this.#begun = true
    this.#runHooks()
    return this.#ready.promise
  }

  async listen(): Promise<void> {
    const { server, options, onPort } = this.#parts
    this.#begun = true
    const host = options.bindAddress ?? '127.0.0.1'
    const { port } = await server.listen(options.port ?? 0, host)
    this.#parts.config.certificates.files?.follow(server, (text) => options.log(0, text))
    this.#url = `https://${bracketed(reachableAddress(host))}:${port}`
    await onPort(port)
    if (options.kubeconfigPath !== undefined) await writeKubeconfig(options.kubeconfigPath, this.kubeconfig)
    this.#runHooks()
  }

  #runHooks(): void {
    if (this.#hooksRun) return
    this.#hooksRun = true
    this.#parts.hooks.run().then(this.#ready.resolve, (error: unknown) => {
      if (this.#closing === undefined) this.#parts.options.log(0, 'Start failed', { err: describeError(error) })
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
    const { options, config, server, admission, informers, services, controllers } = this.#parts
    this.#ready.reject(new Error('the server was closed before it was ready'))
    if (options.shutdownDelayMs) {
      server.failReadiness()
      await new Promise((resolve) => setTimeout(resolve, options.shutdownDelayMs))
    }
    config.certificates.files?.close()
    await services.bootstrap.stop()
    await server.close(options.shutdownGraceMs ?? 10_000)
    await controllers.stop()
    await admission[Symbol.asyncDispose]()
    await informers[Symbol.asyncDispose]()
    await services.close()
    await Promise.all(config.storages.map((storage) => storage.close()))
    await config.backends[Symbol.asyncDispose]()
    config.encryption?.close()
  }
}

/** Nothing is served and no namespace exists before the start. */
function notStarted(member: string): Error {
  return new Error(`${member}: the server has not been started; call listen(), or start() for a server without a port, first`)
}

interface PromiseParts {
  readonly promise: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

function promiseParts(): PromiseParts {
  let resolve!: () => void
  let reject!: (error: unknown) => void
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
