import { apiServicesResource } from '@keelson/aggregator'
import type { PeerProxy } from '@keelson/aggregator'
import { groupResourceString, systemClock } from '@keelson/apimachinery'
import type { GroupResource } from '@keelson/apimachinery'
import type { GroupHost } from '@keelson/http-installer'
import type { LoopbackClient, SharedInformers, WorkQueueMetrics } from '@keelson/loopback'
import { describeError } from '@keelson/server'
import type { Log, Server } from '@keelson/server'
import { publishAuthenticationInfo } from './cluster-authentication-info.ts'
import { createBootstrapRoles, followBootstrapRoles } from './rbac.ts'
import { createSystemNamespaces } from './system-namespaces.ts'
import { createSystemPriorityClasses } from './system-priority-classes.ts'
import { createTokenTracking } from './token-tracking.ts'
import type { FlowControlWork } from '../build-flow-control.ts'
import type { AggregatedServers } from '../aggregated-servers.ts'
import type { GenericConfig } from '../build-generic-config.ts'
import type { Services } from '../build-services.ts'
import type { ControllerRunner } from '../controller-runner.ts'
import { countStorage } from '../count-storage.ts'
import type { CustomResources } from '../custom-resources.ts'
import type { GroupServices } from '../group-services.ts'
import { PostStartHooks } from '../post-start-hooks.ts'
import type { ServerPresence } from '../server-presence.ts'
import { waitForStorages } from '../storage-health.ts'

interface StartHookParts {
  readonly config: GenericConfig
  readonly server: Server
  readonly client: LoopbackClient
  readonly informers: SharedInformers
  /** Address and port allocation. Undefined if the core group with its services is not installed. */
  readonly services: Services | undefined
  readonly presence: ServerPresence | undefined
  /** Forwarding to other API servers. Undefined if it is not configured. */
  readonly peers: PeerProxy | undefined
  readonly queueMetrics: WorkQueueMetrics
  readonly flowControl: FlowControlWork
  readonly host: GroupHost<GroupServices>
  readonly customResources: CustomResources
  readonly aggregated: AggregatedServers
  readonly controllers: ControllerRunner
  /** Undefined: the controllers start when the server is ready. */
  readonly controllersStart: Promise<void> | undefined
  readonly log: Log
  /** True if the store already has the objects that every cluster has. */
  readonly hasBootstrapObjects: boolean
}

/** Creates the post-start hooks in the order in which they run. */
export function createStartHooks(dependencies: StartHookParts): PostStartHooks {
  const {
    config,
    server,
    client,
    informers,
    services,
    presence,
    peers,
    queueMetrics,
    flowControl,
    host,
    customResources,
    aggregated,
    controllers,
    log,
  } = dependencies
  const { backends, clock } = config
  const readClock = (): number => clock.now()
  const hooks = new PostStartHooks(server)
  /** Adds a hook that writes the resources in `needed`. Skips the hook if one of them is not served. */
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
  const createIfNeeded = (create: () => Promise<void>): (() => Promise<void>) =>
    dependencies.hasBootstrapObjects ? async () => {} : create
  /** Adds hooks for the controllers that another hook starts. kube-apiserver has a hook for each controller. */
  const addStartedBy = (hook: string, needed: readonly GroupResource[], names: readonly string[]): void => {
    for (const name of names) addHook(name, needed, async () => {}, [hook])
  }
  /** Adds hooks of kube-apiserver for steps that this server has completed before it listens. */
  const addCompleted = (...names: readonly string[]): void => {
    for (const name of names) hooks.add(name, async () => {}, { after: [] })
  }
  addCompleted('start-apiserver-admission-initializer', 'generic-apiserver-start-informers')
  hooks.add('storage-readiness', () => waitForStorages({ backends, storages: host.storages }, { log }))
  hooks.add('storage-object-count-tracker-hook', async () => void countStorage(backends.main, config.storageMetrics, server.stopping))
  const definitions = [resources.customResourceDefinitions]
  addHook('start-apiextensions-informers', definitions, async () => customResources.start(queueMetrics))
  addHook('start-apiextensions-controllers', definitions, () => customResources.waitUntilServed(), ['start-apiextensions-informers'])
  addHook('crd-informer-synced', definitions, () => customResources.waitUntilServed(), ['start-apiextensions-informers'])
  const apiServices = [resources.apiServices]
  addHook('start-kube-aggregator-informers', apiServices, () => aggregated.start(queueMetrics))
  addStartedBy('start-kube-aggregator-informers', apiServices, aggregatorHooks)
  if (config.certificates.proxyClient !== undefined) {
    addStartedBy('start-kube-aggregator-informers', apiServices, ['aggregator-reload-proxy-client-cert'])
  }
  addHook('apiservice-discovery-controller', apiServices, () => aggregated.discover(), ['start-kube-aggregator-informers'])
  addHook('kube-apiserver-autoregistration', apiServices, () => aggregated.register(), [
    'start-kube-aggregator-informers',
    'crd-informer-synced',
  ])
  addHook(
    'start-system-namespaces-controller',
    [resources.namespaces],
    createIfNeeded(() => createSystemNamespaces(client)),
  )
  addHook(
    'scheduling/bootstrap-system-priority-classes',
    [resources.priorityClasses],
    createIfNeeded(() => createSystemPriorityClasses(client)),
  )
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = resources
  const bootstrapRoles = async (): Promise<void> => {
    // A cluster whose store was copied may have deleted some of the roles, so nothing waits for them.
    if (dependencies.hasBootstrapObjects) {
      await Promise.all(
        [clusterRoles, clusterRoleBindings, roles, roleBindings].flatMap((resource) => informers.of(resource)?.synced ?? []),
      )
      return
    }
    await createBootstrapRoles(client)
    await followBootstrapRoles(informers, clock)
  }
  addHook('rbac/bootstrap-roles', [clusterRoles, clusterRoleBindings, roles, roleBindings], bootstrapRoles, [
    'start-system-namespaces-controller',
  ])
  const { flowSchemas, priorityLevels } = resources
  const producer = 'priority-and-fairness-config-producer'
  addHook(producer, [flowSchemas, priorityLevels], () => flowControl.keepObjects())
  if (flowControl.isEnabled) {
    const consumer = 'priority-and-fairness-config-consumer'
    addHook(consumer, [flowSchemas, priorityLevels], () => flowControl.followConfiguration(), [producer])
    addStartedBy(consumer, [], ['priority-and-fairness-filter'])
  } else addCompleted('max-in-flight-filter')
  if (services !== undefined) {
    const { bootstrap, repair } = services
    const ranges = 'start-kubernetes-service-cidr-controller'
    addHook(ranges, [resources.serviceCIDRs], () => bootstrap.syncRanges())
    addHook('start-service-ip-repair-controllers', [resources.services, resources.ipAddresses], () => repair.start(), [ranges])
  }
  addHook(
    'start-legacy-token-tracking-controller',
    [resources.configMaps],
    createIfNeeded(() => createTokenTracking(client, readClock)),
    ['start-system-namespaces-controller'],
  )
  addHook(
    'start-cluster-authentication-info-controller',
    [resources.configMaps],
    () =>
      publishAuthenticationInfo({
        client,
        certificates: config.certificates.files,
        requestHeaders: config.authentication.requestHeaders(),
        // Uses the system clock, because clients check the expiry of certificates with theirs.
        clock: systemClock,
        signal: server.stopping,
        onError: (error) => log(0, 'Publishing the authentication configuration failed', { err: describeError(error) }),
      }),
    ['start-system-namespaces-controller'],
  )
  const afterNamespaces = ['start-system-namespaces-controller']
  // Without other servers on the store there is nothing to announce.
  if (presence === undefined) addCompleted(...presenceHooks)
  if (presence?.hasLease === true) {
    addHook('start-kube-apiserver-identity-lease-controller', [resources.leases], () => presence.startLease(), afterNamespaces)
    const collect = async (): Promise<void> => presence.collectLeases()
    addHook('start-kube-apiserver-identity-lease-garbage-collector', [resources.leases], collect, afterNamespaces)
  }
  if (peers !== undefined) {
    addHook('mixed-version-proxy-handler', [resources.leases], () => peers.start(), afterNamespaces)
    addStartedBy('mixed-version-proxy-handler', [resources.leases], ['local-discovery-cache-sync', 'peer-discovery-workers'])
  }
  const startControllers = (): void =>
    controllers.start(client, {
      informers,
      clock,
      rootCA: config.certificates.authority,
      types: config.types,
      remoteContent: () => aggregated.listContent(),
      metrics: queueMetrics,
      onError: (name, error) => log(0, 'Controller failed', { controller: name, err: describeError(error) }),
      onSkipped: (name) => log(1, 'Controller skipped', { controller: name, reason: 'its resources are not served' }),
    })
  hooks.add('keelson/start-controllers', async () => {
    if (dependencies.controllersStart === undefined) startControllers()
    else void dependencies.controllersStart.then(startControllers)
  })
  // Runs last: clients that find the endpoint of the server expect the server to work.
  if (services !== undefined) {
    const { bootstrap } = services
    const earlier = hooks.names
    addHook('bootstrap-controller', [resources.services, resources.endpoints, resources.endpointSlices], () => bootstrap.start(), earlier)
  }
  if (presence?.endpoints !== undefined) {
    addHook('peer-endpoint-reconciler-controller', [resources.leases], async () => presence.startEndpoints(), hooks.names)
  }
  return hooks
}

const presenceHooks = [
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'peer-endpoint-reconciler-controller',
]

const aggregatorHooks = [
  'apiservice-registration-controller',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
]

/** Resources that the bootstrap hooks write, by hook. */
const resources = {
  apiServices: apiServicesResource,
  namespaces: { group: '', resource: 'namespaces' },
  configMaps: { group: '', resource: 'configmaps' },
  customResourceDefinitions: { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
  leases: { group: 'coordination.k8s.io', resource: 'leases' },
  services: { group: '', resource: 'services' },
  endpoints: { group: '', resource: 'endpoints' },
  endpointSlices: { group: 'discovery.k8s.io', resource: 'endpointslices' },
  priorityClasses: { group: 'scheduling.k8s.io', resource: 'priorityclasses' },
  flowSchemas: { group: 'flowcontrol.apiserver.k8s.io', resource: 'flowschemas' },
  priorityLevels: { group: 'flowcontrol.apiserver.k8s.io', resource: 'prioritylevelconfigurations' },
  clusterRoles: { group: 'rbac.authorization.k8s.io', resource: 'clusterroles' },
  clusterRoleBindings: { group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings' },
  roles: { group: 'rbac.authorization.k8s.io', resource: 'roles' },
  roleBindings: { group: 'rbac.authorization.k8s.io', resource: 'rolebindings' },
  serviceCIDRs: { group: 'networking.k8s.io', resource: 'servicecidrs' },
  ipAddresses: { group: 'networking.k8s.io', resource: 'ipaddresses' },
} satisfies Record<string, GroupResource>
