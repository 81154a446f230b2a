import { pause, systemClock, type Clock } from '@keelson/apimachinery'
import type { Log, Server } from '@keelson/server'
import { isBackendError } from '@keelson/storagebackend'
import type { Backend, Storage } from '@keelson/storagebackend'
import type { GenericConfig } from './build-generic-config.ts'

/** `etcd` is the store's check by the name under which everybody's monitoring knows it, whatever the driver. */
export function addStorageHealth(server: Server, config: GenericConfig): void {
  server.addHealthCheck({ name: 'etcd', check: () => storesHealthy(config) })
  server.addHealthCheck({ name: 'etcd-readiness', check: () => storesHealthy(config) }, ['readyz'])
  // Not of liveness: a restart mends no plugin.
  for (const check of config.encryption?.checks ?? []) server.addHealthCheck(check, ['healthz', 'readyz'])
}

async function storesHealthy({ backends }: GenericConfig): Promise<void> {
  await Promise.all(backends.all.map((backend) => backend.checkHealth()))
}

interface StartedStorages {
  readonly backends: { readonly all: readonly Pick<Backend, 'checkHealth'>[] }
  readonly storages: Iterable<Pick<Storage, 'checkReady'>>
}

async function allReady({ storages }: StartedStorages): Promise<void> {
  await Promise.all(Array.from(storages, (storage) => storage.checkReady()))
}

/** Throws when a store has stopped or was closed: it does not come back, and a cache over it only knows that it is not filled. */
async function requireRunning({ backends }: StartedStorages): Promise<void> {
  for (const backend of backends.all) {
    await backend.checkHealth().catch((error: unknown) => {
      if (isBackendError(error, 'StoppedError')) throw error
    })
  }
}

interface StorageWait {
  readonly clock?: Clock
  readonly log: Log
}

const patienceMs = 60_000

/**
 * Waits until the caches are filled, which happens while the server starts; as kube-apiserver does, for a minute at the most. An object that
 * cannot be decoded keeps the cache of its resource empty, and must not keep the server from everything else.
 */
export async function storagesReady(started: StartedStorages, { clock = systemClock, log }: StorageWait): Promise<void> {
  const until = clock.now() + patienceMs
  for (let delay = 1; ; delay = Math.min(delay * 2, 200)) {
    try {
      await allReady(started)
      return
    } catch (error) {
      await requireRunning(started)
      if (clock.now() >= until) {
        log(0, 'Starting although the storage of some resources is not ready', { waited: `${patienceMs / 1000}s`, err: messageOf(error) })
        return
      }
    }
    await pause(clock, delay, { keepAlive: true })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
