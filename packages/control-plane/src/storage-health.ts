import { type Clock, getErrorMessage, pause, systemClock } from '@keelson/apimachinery'
import type { Log, Server } from '@keelson/server'
import { isBackendError } from '@keelson/storagebackend'
import type { Backend, Storage } from '@keelson/storagebackend'
import type { GenericConfig } from './build-generic-config.ts'

/** Adds health checks of the stores. They are named "etcd" for every driver, because monitoring relies on that name. */
export function addStorageHealth(server: Server, config: GenericConfig): void {
  server.addHealthCheck({ name: 'etcd', check: () => checkStores(config) })
  server.addHealthCheck({ name: 'etcd-readiness', check: () => checkStores(config) }, ['readyz'])
  // Checks of KMS plugins do not affect liveness, because a restart does not fix a plugin.
  for (const check of config.encryption?.checks ?? []) server.addHealthCheck(check, ['healthz', 'readyz'])
}

async function checkStores({ backends }: GenericConfig): Promise<void> {
  await Promise.all(backends.all.map((backend) => backend.checkHealth()))
}

interface StartedStorages {
  readonly backends: { readonly all: readonly Pick<Backend, 'checkHealth'>[] }
  readonly storages: Iterable<Pick<Storage, 'checkReady'>>
}

async function checkAllReady({ storages }: StartedStorages): Promise<void> {
  await Promise.all(Array.from(storages, (storage) => storage.checkReady()))
}

/** Throws if a store has stopped or was closed. These states are permanent, but the watch cache would report them only as "not ready". */
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

const timeoutMs = 60_000

/**
 * Waits until the watch caches are initialized, for at most a minute as in kube-apiserver. After that the server starts anyway: an object
 * that cannot be decoded blocks the cache of its resource, but must not block the server.
 */
export async function waitForStorages(started: StartedStorages, { clock = systemClock, log }: StorageWait): Promise<void> {
  const deadline = clock.now() + timeoutMs
  for (let delay = 1; ; delay = Math.min(delay * 2, 200)) {
    try {
      await checkAllReady(started)
      return
    } catch (error) {
      await requireRunning(started)
      if (clock.now() >= deadline) {
        log(0, 'Starting although the storage of some resources is not ready', {
          waited: `${timeoutMs / 1000}s`,
          err: getErrorMessage(error),
        })
        return
      }
    }
    await pause(clock, delay, { keepAlive: true })
  }
}
