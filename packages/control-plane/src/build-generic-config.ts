import type { Delegation } from '@keelson/aggregator/extension-server'
import { createApiTypes } from '@keelson/api'
import type { ApiTypesRegistry } from '@keelson/api'
import { metaV1 } from '@keelson/api/meta/v1'
import { Scheme, systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { createServiceResolver } from '@keelson/core-services'
import type { LoopbackClient } from '@keelson/loopback'
import { createDialer } from '@keelson/outbound'
import type { Destination, EgressSelector, ServiceResolver, StreamDialer } from '@keelson/outbound'
import type { RESTOptionsGetter, StorageFactory } from '@keelson/registry'
import { newStorageFactoryConfig, createProtobufCodecs, createRecordCodecs } from '@keelson/registry'
import { createStorageMetrics } from '@keelson/storagebackend'
import type { StorageMetrics } from '@keelson/storagebackend'
import { applyWithStorageFactoryTo } from './apply-with-storage-factory.ts'
import { buildAuthentication } from './build-authentication.ts'
import type { Authentication } from './build-authentication.ts'
import { buildAuthorization } from './build-authorizer.ts'
import type { Authorization } from './build-authorizer.ts'
import type { Encryption } from '@keelson/encryption'
import { buildCertificates } from './build-certificates.ts'
import type { Certificates } from './build-certificates.ts'
import { buildDelegation } from './build-delegation.ts'
import { buildEgress } from './build-egress.ts'
import { buildEncryption } from './build-encryption.ts'
import { servicesDefaults } from './options/services.ts'
import { storageDefaults } from './options/storage.ts'
import type { StorageOptions } from './options/storage.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import { openBackends } from './open-backends.ts'
import type { Backends } from './open-backends.ts'
import { createStorageDrivers } from './storage-drivers.ts'

/**
 * Version of the storage encoding. Increase it when the encoding changes: records of older versions are then decoded, converted and
 * defaulted on read.
 */
const schemaVersion = 1

/** Components that all servers of the chain share. */
export interface GenericConfig {
  readonly backends: Backends
  readonly storageFactory: StorageFactory
  readonly restOptionsGetter: RESTOptionsGetter
  /** Registry of all metrics of the server. */
  readonly metrics: MetricsRegistry
  readonly storageMetrics: StorageMetrics
  /** Registry of the types of all installed groups. */
  readonly types: ApiTypesRegistry
  readonly scheme: Scheme
  readonly authentication: Authentication
  readonly authorization: Authorization
  readonly certificates: Certificates
  readonly encryption: Encryption | undefined
  /** Set if the server is an extension API server. */
  readonly delegation: Delegation | undefined
  readonly clock: Clock
  /** Opens connections to other servers, directly or through proxies. */
  readonly egress: EgressSelector
  /** Sends requests to other servers, such as webhooks. */
  readonly dialer: StreamDialer
  /** Finds the addresses of services. */
  readonly resolver: ServiceResolver
  /** Sets the client with which authenticators, authorizers and admission plugins read objects. */
  readFrom(client: LoopbackClient): void
  /** Sets the address of this server, to which the service `kubernetes` resolves. */
  listenAt(address: Destination): void
}

/** Opens the store and builds all components that do not depend on API groups. Closes the store again if a step fails. */
export async function buildGenericConfig(options: ServerChainOptions): Promise<GenericConfig> {
  // Steps without side effects run first, so that invalid options fail before anything is opened.
  const metrics = createMetricsRegistry({ ...options.metrics, includesRegistryMetrics: true })
  const clock = options.clock ?? systemClock
  let client: LoopbackClient | undefined
  let address: Destination | undefined
  const { enableAggregatorRouting } = { ...servicesDefaults, ...options.services }
  const egress = await buildEgress(options, metrics)
  const resolver = createServiceResolver({ getClient: () => client, apiServer: () => address, toEndpoints: enableAggregatorRouting })
  const dialer = createDialer({ dial: egress.dial, resolver })
  const delegation = await buildDelegation(options, { metrics, clock, dialer })
  try {
    const components = await buildParts(options, { metrics, clock, egress, dialer, resolver, delegation }, (reader) => (client = reader))
    return { ...components, listenAt: (bound) => (address = bound) }
  } catch (error) {
    delegation?.[Symbol.dispose]()
    throw error
  }
}

type BaseParts = Pick<GenericConfig, 'metrics' | 'clock' | 'egress' | 'dialer' | 'resolver' | 'delegation'>

async function buildParts(
  options: ServerChainOptions,
  base: BaseParts,
  useClient: (client: LoopbackClient) => void,
): Promise<Omit<GenericConfig, 'listenAt'>> {
  const { metrics } = base
  const authorization = await buildAuthorization(options, base)
  const encryption = await buildEncryption(options)
  const storage: StorageOptions = { ...storageDefaults, ...options.storage }
  const opening = openBackends(createStorageDrivers(options, base.egress), storage, {
    ...(storage.backend && { main: storage.backend }),
    ...(storage.overrides && { overrides: storage.overrides }),
  })
  const [backends, authentication, certificates] = await closeUnlessAllOpen(
    opening,
    buildAuthentication(options, base),
    buildCertificates(options, base.delegation),
  ).catch((error: unknown) => {
    encryption?.close()
    throw error
  })
  const storageMetrics = createStorageMetrics(metrics)
  const scheme = new Scheme()
  const types = createApiTypes([metaV1])
  const storageFactory = newStorageFactoryConfig()
    .complete({
      backend: backends.main,
      backendOverrides: backends.overrides,
      metrics: storageMetrics,
      // Uses kube-apiserver's encoding in etcd, because other API servers may share it and must be able to read the objects.
      createCodec:
        (storage.type || 'etcd3') === 'etcd3'
          ? createProtobufCodecs({ types, scheme, ...(storage.mediaType && { mediaType: storage.mediaType }) })
          : createRecordCodecs({ schemaVersion }),
      ...(storage.prefix === undefined ? {} : { prefix: storage.prefix }),
      ...(encryption === undefined ? {} : { transformerOverrides: encryption }),
    })
    .new()
  return {
    ...base,
    backends,
    ...applyWithStorageFactoryTo(storageFactory, options, metrics),
    storageMetrics,
    types,
    scheme,
    authentication,
    authorization,
    certificates,
    encryption,
    readFrom: (reader) => {
      useClient(reader)
      authentication.readFrom(reader)
    },
  }
}

async function closeUnlessAllOpen<A extends AsyncDisposable, B, C>(opening: Promise<A>, b: Promise<B>, c: Promise<C>): Promise<[A, B, C]> {
  try {
    return await Promise.all([opening, b, c])
  } catch (error) {
    const openedBackends = await opening.catch(() => undefined)
    await openedBackends?.[Symbol.asyncDispose]()
    throw error
  }
}
