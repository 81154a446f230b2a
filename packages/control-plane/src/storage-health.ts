import { type Clock, getErrorMessage, pause, systemClock, waitForNextTurn } from '@keelson/apimachinery'
import type { SharedInformers } from '@keelson/loopback'
import type { Log, Server } from '@keelson/server'
import { isBackendError } from '@keelson/storagebackend'
import type { Backend, Storage } from '@keelson/storagebackend'
import type { GenericConfig } from './build-generic-config.ts'

/** Adds health checks of the stores. They are named "etcd" for every driver, because monitoring relies on that name. */
export function addStorageHealth(server: Pick<Server, 'addHealthCheck'>, { backends, encryption }: CheckedStorages): void {
  for (const [n, backend] of backends.stores.entries()) {
    const [name, readiness] = n === 0 ? ['etcd', 'etcd-readiness'] : [`etcd-override-${n - 1}`, `etcd-override-readiness-${n - 1}`]
    const check = (): Promise<void> => backend.checkHealth()
    server.addHealthCheck({ name, group: 'etcd', check })
    server.addHealthCheck({ name: readiness, group: 'etcd-readiness', check }, ['readyz'])
  }
  // Checks of KMS plugins do not affect liveness, because a restart does not fix a plugin.
  for (const check of encryption?.checks ?? []) server.addHealthCheck(check, ['healthz', 'readyz'])
}

type CheckedStorages = Pick<GenericConfig, 'encryption'> & {
  readonly backends: { readonly stores: readonly Pick<Backend, 'checkHealth'>[] }
}

/** Adds the check that informers have read their resources. */
export function addInformerHealth(server: Pick<Server, 'addHealthCheck'>, informers: Pick<SharedInformers, 'listUnsynced'>): void {
  const check = (): void => {
    const unsynced = informers.listUnsynced()
    if (unsynced.length > 0) throw new Error(`${unsynced.length} informers not started yet: [${unsynced.join(' ')}]`)
  }
  server.addHealthCheck({ name: 'informer-sync', check }, ['readyz'])
}

interface StartedStorages {
  readonly backends: { readonly stores: readonly Pick<Backend, 'checkHealth'>[] }
  readonly storages: Iterable<Pick<Storage, 'checkReady'>>
}

async function checkAllReady({ storages }: StartedStorages): Promise<void> {
  await Promise.all(Array.from(storages, (storage) => storage.checkReady()))
}

/** Throws if a store has stopped or was closed. These states are permanent, but the watch cache would report them only as "not ready". */
async function requireRunning({ backends }: StartedStorages): Promise<void> {
  for (const backend of backends.stores) {
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
/** Turns of the event loop after which the storages are checked by time. */
const maxTurns = 20

/**
 * Waits until the watch caches are initialized, for at most a minute as in kube-apiserver. After that the server starts anyway: an object
 * that cannot be decoded blocks the cache of its resource, but must not block the server.
 */
export async function waitForStorages(started: StartedStorages, { clock = systemClock, log }: StorageWait): Promise<void> {
  const deadline = clock.now() + timeoutMs
  let turns = 0
  for (let delay = 1; ; delay = Math.min(turns < maxTurns ? 1 : delay * 2, 200)) {
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
    // A store in memory is ready after a few turns of the event loop.
    if (turns++ < maxTurns) await waitForNextTurn()
    else await pause(clock, delay, { keepAlive: true })
  }
}
