import type { Endpoints, RangeAllocation } from '@keelson/api/core/v1'
import { systemClock } from '@keelson/apimachinery'
import { createServiceAllocators, parseIPRanges, ServiceRepair } from '@keelson/core-services'
import type { ServiceAllocators } from '@keelson/core-services'
import type { LoopbackClient } from '@keelson/loopback'
import { describeError } from '@keelson/server'
import { findEndpointAddress } from './addresses.ts'
import { BootstrapController } from './bootstrap/bootstrap-controller.ts'
import { ServerLeases } from './bootstrap/server-leases.ts'
import type { GenericConfig } from './build-generic-config.ts'
import { ConfigurationError } from './configuration-error.ts'
import { servicesDefaults } from './options/services.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import { openSystemStorage } from './system-storage.ts'

/** Components that serve the core group's services: allocators, repair loops, and the controller of the kubernetes service. */
export interface Services {
  readonly allocators: ServiceAllocators
  readonly repair: ServiceRepair
  readonly bootstrap: BootstrapController
  /** Stops the components. Call it before closing the store. */
  close(): Promise<void>
}

/** Builds the components for services. Throws `ConfigurationError` for invalid address or port ranges. */
export function buildServices(config: GenericConfig, options: ServerChainOptions, client: LoopbackClient): Services {
  const { clock = systemClock, log = () => {} } = options
  const { clusterIpRange, nodePortRange, endpointReconcilerType } = { ...servicesDefaults, ...options.services }
  const ranges = parseServiceOption(() => parseIPRanges(clusterIpRange))
  const nodePorts = openSystemStorage<RangeAllocation>(config, {
    resource: 'servicenodeportallocations',
    prefix: 'ranges',
    kind: 'RangeAllocation',
  })
  const allocators = parseServiceOption(() =>
    createServiceAllocators({
      clusterIPRange: clusterIpRange,
      nodePortRange,
      client,
      nodePorts: { storage: nodePorts.storage, key: `${nodePorts.prefix}servicenodeports` },
      onError: (error) => log(0, 'Watching services failed', { err: describeError(error) }),
    }),
  )
  const servers = openSystemStorage<Endpoints>(config, { resource: 'apiServerIPInfo', prefix: 'masterleases', kind: 'Endpoints' })
  const bootstrap = new BootstrapController({
    client,
    ranges,
    leases: endpointReconcilerType === 'none' ? undefined : new ServerLeases(servers.storage, servers.prefix),
    address: findEndpointAddress(options.serving),
    clock,
    log: (text) => log(0, text),
  })
  const repair = new ServiceRepair({ allocators, client, clock, report: (text) => log(0, `services: ${text}`) })
  return {
    allocators,
    repair,
    bootstrap,
    async close() {
      await repair[Symbol.asyncDispose]()
      await allocators[Symbol.asyncDispose]()
      await Promise.all([nodePorts.storage.close(), servers.storage.close()])
    },
  }
}

/** Calls a function that parses service options. Wraps its error in a `ConfigurationError`. */
export function parseServiceOption<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new ConfigurationError(`invalid options for service addresses and ports: ${(error as Error).message}`, { cause: error })
  }
}
