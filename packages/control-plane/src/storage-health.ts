import type { Server } from '@keelson/server'
import { isBackendError } from '@keelson/storagebackend'
import type { GenericConfig } from './build-generic-config.ts'

/** `etcd` is the store's check by the name under which everybody's monitoring knows it, whatever the driver. */
export function addStorageHealth(server: Server, config: GenericConfig): void {
  server.addHealthCheck({ name: 'etcd', check: () => storesHealthy(config) })
  server.addHealthCheck({ name: 'etcd-readiness', check: () => storesHealthy(config) }, ['readyz'])
  server.addHealthCheck({ name: 'watch-cache', check: () => allReady(config) }, ['readyz'])
  // Not of liveness: a restart mends no plugin.
  for (const check of config.encryption?.checks ?? []) server.addHealthCheck(check, ['healthz', 'readyz'])
}

async function storesHealthy({ backends }: GenericConfig): Promise<void> {
  await Promise.all(backends.all.map((backend) => backend.checkHealth()))
}

async function allReady({ storages }: GenericConfig): Promise<void> {
  await Promise.all(storages.map((storage) => storage.checkReady()))
}

/** Throws when a store has stopped or was closed: it does not come back, and a cache over it only knows that it is not filled. */
async function requireRunning({ backends }: GenericConfig): Promise<void> {
  for (const backend of backends.all) {
    await backend.checkHealth().catch((error: unknown) => {
      if (isBackendError(error, 'StoppedError')) throw error
    })
  }
}

const patienceMs = 60_000

/** Caches fill while the server starts; a store that cannot be read ends the start. */
export async function storagesReady(config: GenericConfig): Promise<void> {
  const until = Date.now() + patienceMs
  for (let pause = 1; ; pause = Math.min(pause * 2, 200)) {
    try {
      await allReady(config)
      return
    } catch (error) {
      await requireRunning(config)
      if (Date.now() > until) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
