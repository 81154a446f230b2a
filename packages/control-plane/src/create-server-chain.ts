import type { AdmissionChain } from '@keelson/admission'
import type { PeerProxy } from '@keelson/aggregator'
import type { Auditor } from '@keelson/audit'
import { systemClock } from '@keelson/apimachinery'
import { createGroupHost, DiscoveryRegistry } from '@keelson/http-installer'
import type { GroupHost, InstallOptions } from '@keelson/http-installer'
import { createLoopbackClient, createSharedInformers, createWorkQueueMetrics, loopbackUser } from '@keelson/loopback'
import { createLoopbackDialer } from '@keelson/outbound'
import type { ApiGroup, RemoteTls } from '@keelson/registry'
import { logToConsole, createDeprecationMetrics, createServer, createWatchMetrics, describeError, isAbort } from '@keelson/server'
import type { Server } from '@keelson/server'
import type { RequestTracer } from '@keelson/tracing'
import { advertiseAddress, getBindAddress, findReachableAddress, formatUrlHost } from './addresses.ts'
import { AggregatedServers } from './aggregated-servers.ts'
import { authorizeConnect, authorizeCreate } from './authorize-create.ts'
import { createStartHooks } from './bootstrap/start-hooks.ts'
import { buildAdmission, selectAdmissionPlugins } from './build-admission.ts'
import type { SelectedPlugins } from './build-admission.ts'
import { buildAudit } from './build-audit.ts'
import { buildFlowControl, FlowControlWork } from './build-flow-control.ts'
import { buildGenericConfig } from './build-generic-config.ts'
import type { GenericConfig } from './build-generic-config.ts'
import { buildPeerProxy } from './build-peer-proxy.ts'
import { buildServing } from './build-serving.ts'
import { buildTracing } from './build-tracing.ts'
import type { Serving } from './build-serving.ts'
import { buildServices } from './build-services.ts'
import { builtinGroups } from './builtin-groups.ts'
import { Chain } from './chain.ts'
import type { LoggedOptions } from './chain.ts'
import { ConfigurationError } from './configuration-error.ts'
import { ControllerRunner, listEnabledControllers } from './controller-runner.ts'
import { CustomResources } from './custom-resources.ts'
import { createIdentityHeaders } from './request-headers.ts'
import { createResourceFilter } from './enabled-versions.ts'
import { registerFeatureMetrics } from './feature-metrics.ts'
import { createGroupServices } from './group-services.ts'
import type { GroupServices } from './group-services.ts'
import { readKubeletTls } from './kubelet-tls.ts'
import { installOpenIdDocuments } from './open-id-endpoints.ts'
import { createOpenApi } from './openapi-pages.ts'
import { findOptionProblems } from './option-problems.ts'
import { diagnosticsDefaults } from './options/diagnostics.ts'
import { lifecycleDefaults } from './options/lifecycle.ts'
import { requestDefaults } from './options/requests.ts'
import { servicesDefaults } from './options/services.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import { servingDefaults } from './options/serving.ts'
import { storageDefaults } from './options/storage.ts'
import { ServerPresence } from './server-presence.ts'
import type { ServerChain } from './server-chain.ts'
import { addInformerHealth, addStorageHealth } from './storage-health.ts'

/** Creates a complete server that does not listen yet. Throws `ConfigurationError` for options that cannot be satisfied. */
export async function createServerChain(requested: ServerChainOptions = {}): Promise<ServerChain> {
  const problems = await findOptionProblems(requested)
  if (problems.length > 0) throw new ConfigurationError(problems)
  const options: LoggedOptions = { ...requested, log: requested.log ?? logToConsole }
  const controllers = await ControllerRunner.create(listEnabledControllers(options))
  const plugins = await selectAdmissionPlugins(options)
  const tls = await readKubeletTls(options.kubelet ?? {})
  const serving = await buildServing(options)
  const config = await buildGenericConfig(options)
  let auditor: Auditor | undefined
  let tracer: RequestTracer | undefined
  try {
    tracer = await buildTracing(options, config)
    auditor = await buildAudit(options, { ...config, tracer })
    return await connectParts(options, config, { controllers, plugins, readKubeletTls: tls, serving, auditor, tracer })
  } catch (error) {
    await auditor?.close()
    await tracer?.shutdown()
    await config.backends[Symbol.asyncDispose]()
    config.authentication.close()
    config.encryption?.close()
    config.delegation?.[Symbol.dispose]()
    throw error
  }
}

interface PreparedParts {
  readonly controllers: ControllerRunner
  readonly plugins: SelectedPlugins
  readonly readKubeletTls: () => Promise<RemoteTls>
  readonly serving: Serving
  readonly auditor: Auditor | undefined
  readonly tracer: RequestTracer
}

async function connectParts(
  options: LoggedOptions,
  config: GenericConfig,
  { controllers, plugins, readKubeletTls: tls, serving, auditor, tracer }: PreparedParts,
): Promise<ServerChain> {
  const { log } = options
  const { clock } = config
  const requests = { ...requestDefaults, ...options.requests }
  const lifecycle = { ...lifecycleDefaults, ...options.lifecycle }
  const { logRequests, profiling, setVerbosity } = { ...diagnosticsDefaults, ...options.diagnostics }
  const { http2, unref, maxStreamsPerConnection, goAwayChance, corsAllowedOrigins, hstsDirectives } = {
    ...servingDefaults,
    ...options.serving,
  }
  const readClock = (): number => clock.now()
  let admission: (AdmissionChain & AsyncDisposable) | undefined
  const client = createLoopbackClient({
    scheme: config.scheme,
    types: config.types,
    getAdmission: () => admission,
    fieldManager: 'kube-apiserver',
    now: readClock,
  })
  const informers = createSharedInformers(client, { onError: (error) => log(0, 'Informer failed', { err: describeError(error) }) })
  const { authorizer } = config.authorization
  // Webhooks behind the service `kubernetes` are called as kube-apiserver calls them: through this server, as itself.
  const dialer = createLoopbackDialer(config.dialer, (path, init) => server.fetch(path, { ...init, user: loopbackUser }))
  const pluginClock = { now: readClock, after: systemClock.after }
  const pluginServices = { client, informers, scheme: config.scheme, authorizer, dialer, clock: pluginClock }
  admission = await buildAdmission(plugins, pluginServices, config.metrics)

  let peers: PeerProxy | undefined
  const groups = options.groups ?? builtinGroups
  const flowControl = buildFlowControl(options, config, groups)
  const server = createServerOf({
    authenticator: config.authentication.authenticator,
    authorizer,
    identityHeaders: createIdentityHeaders(() => config.authentication.requestHeaders()),
    constrainedImpersonation: serving.features.isEnabled('ConstrainedImpersonation'),
    tls: {
      ...config.certificates.serving,
      clientAuthorities: config.certificates.clientAuthorities,
      frontProxyAuthorities: config.certificates.frontProxyAuthorities,
      settings: serving.tls,
    },
    cbor: serving.cbor,
    zpages: serving.zpages,
    auditor,
    tracer,
    flowControl,
    limits: { readOnly: requests.maxReadOnlyInFlight, mutating: requests.maxMutatingInFlight },
    requestTimeoutMs: requests.timeoutMs,
    livezGraceMs: lifecycle.livezGraceMs,
    http2,
    unref,
    maxStreamsPerConnection,
    goAwayChance,
    ...(corsAllowedOrigins && { corsAllowedOrigins }),
    ...(hstsDirectives && { hstsDirectives }),
    shutdownSendRetryAfter: lifecycle.shutdownSendRetryAfter,
    shutdownWatchGraceMs: lifecycle.shutdownWatchGraceMs,
    metrics: config.metrics,
    requestNow: readClock,
    log,
    logRequests,
    profiling,
    ...(setVerbosity && { setVerbosity }),
    filters: [{ name: 'peer-proxy', after: 'request-metrics', filter: (exchange) => peers?.filter(exchange) }, ...(options.filters ?? [])],
  })
  addStorageHealth(server, config)
  addInformerHealth(server, informers)
  registerFeatureMetrics(config.metrics, serving.features)

  let port: number | undefined
  const advertised = advertiseAddress(options.serving)
  const formatServerAddress = (): string | undefined => (port === undefined ? undefined : `${formatUrlHost(advertised)}:${port}`)
  const discovery = new DiscoveryRegistry()
  const openApi = createOpenApi()
  const { serverCount, rejectForwardingRedirects } = { ...servicesDefaults, ...options.services }
  const aggregated = new AggregatedServers({ config, client, discovery, openApi, server, log, rejectRedirects: rejectForwardingRedirects })
  const groupServing: InstallOptions = {
    discovery,
    aggregation: aggregated.aggregation,
    openApi,
    stopping: server.stopping,
    delayWatchEnd: () => server.delayWatchEnd(),
    now: readClock,
    serverAddress: formatServerAddress,
    minRequestTimeoutSeconds: requests.minWatchTimeoutSeconds,
    authorizeCreate: authorizeCreate(authorizer),
    authorizeConnect: authorizeConnect(authorizer),
    observeWatch: createWatchMetrics(config.metrics),
    observeDeprecated: createDeprecationMetrics(config.metrics),
    onInternalError: (error) => log(isAbort(error) ? 3 : 0, 'Internal error', { err: describeError(error) }),
  }
  server.addListedPaths(() => ['/openapi/v2', '/openapi/v3', '/openapi/v3/'])
  const services = hasServices(groups) ? buildServices(config, options, client) : undefined
  const { scheme, types, restOptionsGetter: restOptions } = config
  const legacy = {
    ...options.storage,
    client,
    ...(services && { allocators: services.allocators }),
    kubelet: { ...options.kubelet, readTls: tls },
  }
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
    isServed: createResourceFilter(options.features?.runtimeConfig ?? {}, (name) => builtinGroups.some((group) => group.name === name)),
  })
  installGroups(host, groups)

  aggregated.prepare()
  const presence =
    hasLeases(groups) && mayHavePeers(options) ? new ServerPresence({ options, config, client, features: serving.features }) : undefined
  const queueMetrics = createWorkQueueMetrics(config.metrics)
  if (presence !== undefined) {
    peers = await buildPeerProxy({ options, config, client, discovery, presence, server, queueMetrics })
  }
  const customResources = new CustomResources({ config, host, client, dialer, server, log, serverCount })

  config.authorization.readFrom({ client, informers })
  const { serviceAccounts } = config.authentication
  config.readFrom(client)
  installOpenIdDocuments(server, () => serviceAccounts.createDocuments(formatServerAddress() ?? advertised), log)

  const flowControlWork = new FlowControlWork({
    control: flowControl,
    config,
    client,
    informers,
    queueMetrics,
    stopping: server.stopping,
    log,
  })
  const hooks = createStartHooks({
    flowControl: flowControlWork,
    config,
    server,
    client,
    informers,
    services,
    presence,
    peers,
    queueMetrics,
    host,
    customResources,
    aggregated,
    controllers,
    controllersStart: options.controllersStart,
    log,
    hasBootstrapObjects: options.storage?.hasBootstrapObjects ?? false,
  })

  return new Chain({
    options,
    config,
    server,
    auditor,
    tracer,
    admission,
    informers,
    services,
    presence,
    flowControl: flowControlWork,
    host,
    customResources,
    aggregated,
    client,
    queueMetrics,
    hooks,
    controllers,
    onPort: async (bound) => {
      port = bound
      config.listenAt({ host: findReachableAddress(getBindAddress(options.serving)), port })
      await services?.bootstrap.listenOn(bound)
      await presence?.listenOn(bound)
    },
  })
}

/** True if the groups include core's services, which need address and port allocation. */
function hasServices(groups: readonly ApiGroup<GroupServices>[]): boolean {
  return groups.some((group) => group.resources.some(({ group: name, plural }) => name === '' && plural === 'services'))
}

/** True if other servers may use the same store: it is etcd, or the options for peers are set. Only then does a server announce itself. */
function mayHavePeers({ storage, peers }: ServerChainOptions): boolean {
  return peers !== undefined || ((storage?.type ?? storageDefaults.type) || 'etcd3') === 'etcd3'
}

/** True if the groups include leases, with which servers announce themselves to each other. */
function hasLeases(groups: readonly ApiGroup<GroupServices>[]): boolean {
  return groups.some((group) => group.resources.some(({ group: name, plural }) => name === 'coordination.k8s.io' && plural === 'leases'))
}

/** Installs all groups. Installs none if one of them fails. */
function installGroups(host: GroupHost<GroupServices>, groups: readonly ApiGroup<GroupServices>[]): void {
  try {
    for (const group of groups) host.install(group)
  } catch (error) {
    // Ignores errors of the cleanup, so that the installation error is reported.
    host[Symbol.asyncDispose]().then(undefined, () => {})
    throw error
  }
}

/** Creates the HTTP server. Throws `ConfigurationError` for filters whose position cannot be resolved. */
function createServerOf(options: Parameters<typeof createServer>[0]): Server {
  try {
    return createServer(options)
  } catch (error) {
    throw new ConfigurationError((error as Error).message, { cause: error })
  }
}
