import { selectEveryField, selectEverything, TimeSlice } from '@keelson/apimachinery'
import { createLoopbackContext } from '@keelson/loopback'
import type { Storage } from '@keelson/storagebackend'
import type { Instances } from '../controllers/custom-resources.ts'
import type { ServedDefinition } from './served-definition.ts'

const everyObject = { labels: selectEverything(), fields: selectEveryField() }

/** Creates access to all objects of a definition in the storage version, for deleting them with the definition. */
export function createInstances(served: ServedDefinition, now: () => number): Instances {
  const store = served.createStore()
  const { group, version, plural: resource } = store.definition
  const { storage } = store
  return {
    async namespaces() {
      const namespaces = new Set<string>()
      if ((await storage.count(served.keyPrefix)) === 0) return namespaces
      const slice = new TimeSlice()
      for (const item of (await storage.list(served.keyPrefix)).items) {
        namespaces.add(store.namespaced ? item.field('metadata.namespace') : '')
        const pause = slice.pauseIfOver()
        if (pause) await pause
      }
      return namespaces
    },
    async deleteAll(namespace) {
      const context = createLoopbackContext(
        { verb: 'deletecollection', resource: { group, version, resource }, namespace },
        'kube-apiserver',
        now,
      )
      const list = { predicate: everyObject, resourceVersion: '', resourceVersionMatch: undefined, limit: 0, continue: '' }
      await store.deleteCollection(context, { options: {}, dryRun: false }, list)
    },
    waitUntilEmpty: (signal) => waitUntilEmpty(storage, served.keyPrefix, signal),
  }
}

/** Waits until a storage has no objects. Counts them after each batch of changes. */
async function waitUntilEmpty(storage: Storage, prefix: string, signal: AbortSignal): Promise<void> {
  const stop = new AbortController()
  const abort = (): void => stop.abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    if (signal.aborted || (await storage.count(prefix)) === 0) return
    const watch = await storage.watch(prefix, {
      resourceVersion: '',
      sendInitialEvents: true,
      allowBookmarks: true,
      resourceVersionMatch: 'NotOlderThan',
      signal: stop.signal,
    })
    for await (const batch of watch) {
      const mayBeLast = batch.some(({ type }) => type === 'DELETED' || type === 'BOOKMARK')
      if (mayBeLast && (await storage.count(prefix)) === 0) return
    }
  } finally {
    signal.removeEventListener('abort', abort)
    stop.abort()
  }
}
