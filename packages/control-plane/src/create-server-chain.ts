import type { AdmissionChain } from '@keelson/admission'
import { groupResourceString, systemClock } from '@keelson/apimachinery'
import type { GroupResource } from '@keelson/apimachinery'
import { createGroupHost } from '@keelson/http-installer'
import type { GroupHost, InstalledGroup, InstallOptions } from '@keelson/http-installer'
import { createLoopbackClient, createSharedInformers } from '@keelson/loopback'
import type { ApiGroup, RemoteTls } from '@keelson/registry'
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
import { advertiseAddress, formatUrlHost, reachableAddress } from './addresses.ts'
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
import { ControllerRunner, enabledControllers } from './controller-runner.ts'
import { countStorage } from './count-storage.ts'
import { enabledResources } from './enabled-versions.ts'
import { registerFeatureMetrics } from './feature-metrics.ts'
import { createGroupServices } from './group-services.ts'
import type { GroupServices } from './group-services.ts'
import { installOpenIdDocuments } from './open-id-endpoints.ts'
import { kubeletTls } from './kubelet-tls.ts'
import { createOpenApi } from './openapi-pages.ts'
import { findOptionProblems } from './option-problems.ts'
import { diagnosticsDefaults } from './options/diagnostics.ts'
import { lifecycleDefaults } from './options/lifecycle.ts'
import { requestDefaults } from './options/requests.ts'
import { servingDefaults } from './options/serving.ts'
import { PostStartHooks } from './post-start-hooks.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import type { ServerChain } from './server-chain.ts'
import { addStorageHealth, waitForStorages } from './storage-health.ts'

/** Creates a complete server, which does not listen yet. Throws `ConfigurationError` for options that cannot be satisfied. */
export async function createServerChain(requested: ServerChainOptions = {}): Promise<ServerChain> {
  const problems = await findOptionProblems(requested)
  if (problems.length > 0) throw new ConfigurationError(problems)
  const options: LoggedOptions = { ...requested, log: requested.log ?? consoleLog }
  const controllers = await ControllerRunner.create(enabledControllers(options))
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

interface PreparedParts {
  readonly controllers: ControllerRunner
  readonly plugins: SelectedPlugins
  readonly kubeletTls: () => Promise<RemoteTls>
  readonly serving: Serving
}

function wire(
  options: LoggedOptions,
  config: GenericConfig,
  { controllers, plugins, kubeletTls: tls, serving }: PreparedParts,
): ServerChain {
  const { log } = options
  const { clock } = config
  const requests = { ...requestDefaults, ...options.requests }
  const lifecycle = { ...lifecycleDefaults, ...options.lifecycle }
  const { logRequests, profiling } = { ...diagnosticsDefaults, ...options.diagnostics }
  const { http2, unref, maxStreamsPerConnection, goAwayChance, corsAllowedOrigins, hstsDirectives } = {
    ...servingDefaults,
    ...options.serving,
  }
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
    limits: { readOnly: requests.maxReadOnlyInFlight, mutating: requests.maxMutatingInFlight },
    requestTimeoutMs: requests.timeoutMs,
    http2,
    unref,
    maxStreamsPerConnection,
    goAwayChance,
    ...(corsAllowedOrigins && { corsAllowedOrigins }),
    ...(hstsDirectives && { hstsDirectives }),
    shutdownSendRetryAfter: lifecycle.shutdownSendRetryAfter,
    metrics: config.metrics,
    requestNow: now,
    log,
    logRequests,
    profiling,
  })
  addStorageHealth(server, config)
  registerFeatureMetrics(config.metrics, serving.features)

  let port: number | undefined
  const advertised = advertiseAddress(options.serving)
  const serverAddress = (): string | undefined => (port === undefined ? undefined : `${formatUrlHost(advertised)}:${port}`)
  const groupServing: InstallOptions = {
    openApi: createOpenApi(),
    stopping: server.stopping,
    now,
    serverAddress,
    minRequestTimeoutSeconds: requests.minWatchTimeoutSeconds,
    authorizeCreate: authorizeCreate(config.authorizer),
    observeWatch: createWatchMetrics(config.metrics),
    observeDeprecated: createDeprecationMetrics(config.metrics),
    onInternalError: (error) => log(isAbort(error) ? 3 : 0, 'Internal error', { err: describeError(error) }),
  }
  server.addListedPaths(() => ['/openapi/v2', '/openapi/v3', '/openapi/v3/'])
  const groups = options.groups ?? builtinGroups
  const services = hasServices(groups) ? buildServices(config, options, client) : undefined
  const { scheme, types, restOptionsGetter: restOptions } = config
  const legacy = { ...options.storage, client, ...(services && { allocators: services.allocators }), kubelet: { ...options.kubelet, tls } }
  const host = createGroupHost<GroupServices>({
    app: server.app,
    scheme,
    types,
    restOptions,
    admission,
    services: createGroupServices(config, { client, informers, legacy }),
    serving: groupServing,
    client,
    informers,
    addListedPaths: (paths) => server.addListedPaths(paths),
    isServed: enabledResources(options.features?.runtimeConfig ?? {}, (name) => builtinGroups.some((group) => group.name === name)),
  })
  installGroups(host, groups)

  const { serviceAccounts } = config.authentication
  serviceAccounts.readFrom(client)
  installOpenIdDocuments(server, () => serviceAccounts.documents(serverAddress() ?? advertised), log)

  const hooks = new PostStartHooks(server, lifecycle.livezGraceMs)
  /** Adds a hook that writes the resources `needed`. Skips it if one of them is not served. */
  const addHook = (
    name: string,
    needed: readonly GroupResource[],
    run: () => Promise<void>,
    after: readonly string[] = ['storage-readiness'],
  ): void => {
    const missing = needed.filter((resource) => client.resource(resource) === undefined).map(groupResourceString)
    if (missing.length === 0) hooks.add(name, run, { after })
    else log(1, 'Start hook skipped', { hook: name, reason: `not served: ${missing.join(', ')}` })
  }
  const { backends } = config
  hooks.add('storage-readiness', () => waitForStorages({ backends, storages: host.storages }, { log }))
  hooks.add('storage-object-count-tracker-hook', async () => void countStorage(backends.main, config.storageMetrics, server.stopping))
  addHook('start-system-namespaces-controller', [resources.namespaces], () => createSystemNamespaces(client))
  addHook('scheduling/bootstrap-system-priority-classes', [resources.priorityClasses], () => createSystemPriorityClasses(client))
  const { flowSchemas, priorityLevels } = resources
  addHook('priority-and-fairness-config-producer', [flowSchemas, priorityLevels], () => createFlowControl(client, now))
  if (services !== undefined) {
    const { bootstrap, repair } = services
    const ranges = 'start-kubernetes-service-cidr-controller'
    addHook(ranges, [resources.serviceCIDRs], () => bootstrap.syncRanges())
    addHook('start-service-ip-repair-controllers', [resources.services, resources.ipAddresses], () => repair.start(), [ranges])
  }
  addHook('start-legacy-token-tracking-controller', [resources.configMaps], () => createTokenTracking(client, now), [
    'start-system-namespaces-controller',
  ])
  hooks.add('start-controllers', async () =>
    controllers.start(client, {
      informers,
      clock,
      rootCA: config.certificates.authority,
      metrics: config.metrics,
      onError: (name, error) => log(0, 'Controller failed', { controller: name, err: describeError(error) }),
      onSkipped: (name) => log(1, 'Controller skipped', { controller: name, reason: 'its resources are not served' }),
    }),
  )
  // Runs last, because clients that find the endpoint of the server expect it to work.
  if (services !== undefined) {
    const { bootstrap } = services
    const earlier = hooks.names
    addHook('bootstrap-controller', [resources.services, resources.endpoints, resources.endpointSlices], () => bootstrap.start(), earlier)
  }

  return new Chain({
    options,
    config,
    server,
    admission,
    informers,
    services,
    host,
    client,
    hooks,
    controllers,
    onPort: async (bound) => {
      port = bound
      await services?.bootstrap.listenOn(bound)
    },
  })
}

/** Resources that bootstrap hooks write. */
const resources = {
  namespaces: { group: '', resource: 'namespaces' },
  configMaps: { group: '', resource: 'configmaps' },
  services: { group: '', resource: 'services' },
  endpoints: { group: '', resource: 'endpoints' },
  endpointSlices: { group: 'discovery.k8s.io', resource: 'endpointslices' },
  priorityClasses: { group: 'scheduling.k8s.io', resource: 'priorityclasses' },
  flowSchemas: { group: 'flowcontrol.apiserver.k8s.io', resource: 'flowschemas' },
  priorityLevels: { group: 'flowcontrol.apiserver.k8s.io', resource: 'prioritylevelconfigurations' },
  serviceCIDRs: { group: 'networking.k8s.io', resource: 'servicecidrs' },
  ipAddresses: { group: 'networking.k8s.io', resource: 'ipaddresses' },
} satisfies Record<string, GroupResource>

/** True if the groups include core's services, which need address and port allocation. */
function hasServices(groups: readonly ApiGroup<GroupServices>[]): boolean {
  return groups.some((group) => group.resources.some(({ group: name, plural }) => name === '' && plural === 'services'))
}

/** Installs all groups, or none if one fails. */
function installGroups(host: GroupHost<GroupServices>, groups: readonly ApiGroup<GroupServices>[]): void {
  try {
    for (const group of groups) host.install(group)
  } catch (error) {
    // Ignore errors of the cleanup: the installation error is reported.
    host[Symbol.asyncDispose]().then(undefined, () => {})
    throw error
  }
}

interface ChainParts {
  readonly options: LoggedOptions
  readonly config: GenericConfig
  readonly server: Server
  readonly admission: AsyncDisposable
  readonly informers: AsyncDisposable
  /** Undefined without core's services. */
  readonly services: Services | undefined
  readonly host: GroupHost<GroupServices>
  readonly client: ServerChain['client']
  readonly hooks: PostStartHooks
  readonly controllers: ControllerRunner
  readonly onPort: (port: number) => Promise<void>
}

class Chain implements ServerChain {
  readonly #parts: ChainParts
  readonly #ready: PromiseParts
  /** True after `start` or `listen` was called. */
  #isStarted = false
  #haveHooksStarted = false
  #url: string | undefined
  #closing: Promise<void> | undefined

  constructor(parts: ChainParts) {
    this.#parts = parts
    this.#ready = promiseParts()
    // Callers may ignore `ready`; its rejection must not count as unhandled.
    this.#ready.promise.catch(() => {})
  }

  get ready(): Promise<void> {
    return this.#isStarted ? this.#ready.promise : Promise.reject(notStarted('ready'))
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
    return this.#parts.options.serving?.kubeconfigPath
  }

  get adminToken(): string {
    return this.#parts.config.authentication.adminToken
  }

  get certificateAuthority(): string {
    return this.#parts.config.certificates.authority
  }

  get client(): ServerChain['client'] {
    if (!this.#isStarted) throw notStarted('client')
    return this.#parts.client
  }

  async fetch(...request: Parameters<ServerChain['fetch']>): Promise<Response> {
    if (!this.#isStarted) throw notStarted('fetch')
    return this.#parts.server.fetch(...request)
  }

  install(group: ApiGroup<GroupServices>): InstalledGroup {
    return this.#parts.host.install(group)
  }

  start(): Promise<void> {
    this.#isStarted = true
    this.#runHooks()
    return this.#ready.promise
  }

  async listen(): Promise<void> {
    const { server, options, onPort } = this.#parts
    this.#isStarted = true
    const { bindAddress: host, port: wantedPort, kubeconfigPath } = { ...servingDefaults, ...options.serving }
    const { port } = await server.listen(wantedPort, host)
    this.#parts.config.certificates.files?.follow(server, (text) => options.log(0, text))
    this.#url = `https://${formatUrlHost(reachableAddress(host))}:${port}`
    await onPort(port)
    if (kubeconfigPath !== undefined) await writeKubeconfig(kubeconfigPath, this.kubeconfig)
    this.#runHooks()
  }

  #runHooks(): void {
    if (this.#haveHooksStarted) return
    this.#haveHooksStarted = true
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
    const { options, config, server, admission, informers, services, host, controllers } = this.#parts
    this.#ready.reject(new Error('the server was closed before it was ready'))
    const { shutdownDelayMs, shutdownGraceMs } = { ...lifecycleDefaults, ...options.lifecycle }
    if (shutdownDelayMs > 0) {
      server.failReadiness()
      await new Promise((resolve) => setTimeout(resolve, shutdownDelayMs))
    }
    config.certificates.files?.close()
    await services?.bootstrap.stop()
    await server.close(shutdownGraceMs)
    await controllers.stop()
    await admission[Symbol.asyncDispose]()
    await informers[Symbol.asyncDispose]()
    await services?.close()
    await host[Symbol.asyncDispose]()
    await config.backends[Symbol.asyncDispose]()
    config.encryption?.close()
  }
}

/** Error for use before `start` or `listen`, when nothing is served yet. */
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
