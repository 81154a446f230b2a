import { createApiTypes } from '@keelson/api'
import type { ApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import type { RangeAllocation, Service } from '@keelson/api/core/v1'
import { networkingV1 } from '@keelson/api/networking/v1'
import type { IPAddress, ServiceCIDR } from '@keelson/api/networking/v1'
import { isApiError } from '@keelson/apimachinery'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import { openMemory } from '@keelson/backend-embedded'
import { createLoopbackClient } from '@keelson/loopback'
import type { LoopbackClient } from '@keelson/loopback'
import { defineResource, createRecordCodecs } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { openTestStore } from '@keelson/registry/testing'
import type { TestStore } from '@keelson/registry/testing'
import { findIPErrors, services } from '@keelson/resources-core'
import { createObjectStore } from '@keelson/storagebackend'
import type { Backend } from '@keelson/storagebackend'
import { defaultClusterIPRange, defaultNodePortRange } from './allocation/range-defaults.ts'
import { createServiceAllocators } from './allocation/service-allocators.ts'
import type { ServiceAllocators } from './allocation/service-allocators.ts'
import { createServiceHooks } from './allocation/service-hooks.ts'

export interface TestServicesOptions {
  readonly clusterIPRange?: string
  readonly nodePortRange?: string
  readonly random?: (below: number) => number
  readonly backend?: Backend
  readonly now?: Clock['now']
}

/** The service store of one server with its dependencies. Several instances on one storage backend act as several servers. */
export interface TestServices extends AsyncDisposable {
  readonly store: TestStore<Service>['store']
  readonly backend: Backend
  readonly client: LoopbackClient
  readonly allocators: ServiceAllocators
}

const types: ApiTypes = createApiTypes([coreV1, networkingV1])

const group = 'networking.k8s.io'
/** A minimal definition of IPAddress with the validation that allocation needs. */
const ipAddresses: ResourceDefinition<IPAddress> = defineResource<IPAddress>({
  group,
  version: 'v1',
  kind: 'IPAddress',
  plural: 'ipaddresses',
  scope: 'Cluster',
  strategy: {},
  validateName: findIPErrors,
})
const serviceCIDRs: ResourceDefinition<ServiceCIDR> = defineResource<ServiceCIDR>({
  group,
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  scope: 'Cluster',
  strategy: {},
})

export async function openServices(options: TestServicesOptions = {}): Promise<TestServices> {
  const { clusterIPRange = defaultClusterIPRange, nodePortRange = defaultNodePortRange, random } = options
  const backend = options.backend ?? openMemory()
  const client = createLoopbackClient()
  const stores: AsyncDisposable[] = []
  const serve = <T extends KubeObject>(definition: ResourceDefinition<T>, hooks?: ReturnType<typeof createServiceHooks>): TestStore<T> => {
    const testStore = openTestStore<T>(definition, {
      types,
      backend,
      ...(options.now && { now: options.now }),
      ...(hooks && { hooks: hooks as unknown as NonNullable<Parameters<typeof openTestStore<T>>[1]>['hooks'] & object }),
    })
    client.add({ group: definition.group, version: 'v1' }, testStore.paths)
    stores.push(testStore)
    return testStore
  }
  serve(ipAddresses)
  serve(serviceCIDRs)
  const ranges = createObjectStore<RangeAllocation>({
    backend,
    codec: createRecordCodecs({ schemaVersion: 1 })({
      kind: types.kind({ group: '', version: 'v1', kind: 'RangeAllocation' })!,
      selectableFields: {},
    }),
    resource: { group: '', resource: 'servicenodeportallocations' },
    prefix: '/registry/ranges/',
  })
  const allocators = createServiceAllocators({
    clusterIPRange,
    nodePortRange,
    client,
    nodePorts: { storage: ranges, key: '/registry/ranges/servicenodeports' },
    ...(random && { random }),
    onError(error) {
      throw error
    },
  })
  const { store } = serve(services, createServiceHooks(allocators))
  await makeReady(client, clusterIPRange)
  const state = await allocators.ports.registry.read()
  if (state.stored === undefined) await allocators.ports.registry.replace(state.bitmap, state)
  return {
    store,
    backend,
    client,
    allocators,
    async [Symbol.asyncDispose]() {
      await allocators[Symbol.asyncDispose]()
      for (const store of stores) await store[Symbol.asyncDispose]()
      if (options.backend === undefined) await backend[Symbol.asyncDispose]()
    },
  }
}

/** Creates the default ServiceCIDR, as the server does on start. */
async function makeReady(client: LoopbackClient, clusterIPRange: string): Promise<void> {
  const condition = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: '', message: '' }
  try {
    await client.resource<ServiceCIDR>({ group, resource: 'servicecidrs' })!.create('', {
      metadata: { name: 'kubernetes' },
      spec: { cidrs: clusterIPRange.split(',') },
      status: { conditions: [condition] },
    })
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error
  }
}
