import { createObjectStore, hasCompaction, type Backend } from '@keelson/storagebackend'
import { createManualClock, describeStorage } from '@keelson/storagebackend/testing'
import { openMemory } from './index.ts'

describeStorage('memory', async (request) => {
  const clock = createManualClock()
  const backend = openMemory({ clock })
  return {
    storage: createObjectStore({ ...request, backend, now: clock.now }),
    compact: (revision) => backend.compact(revision),
    advance: (ms) => clock.advance(ms),
    requestProgress: () => backend.requestProgress(),
    close: () => backend[Symbol.asyncDispose](),
  }
})

/** As a driver without optional powers: the object store reads it by pages instead of walking a snapshot. */
function plain(backend: Backend): Backend {
  return {
    get: (key, options) => backend.get(key, options),
    list: (range, options) => backend.list(range, options),
    commit: (transaction) => backend.commit(transaction),
    watch: (range, after, options) => backend.watch(range, after, options),
    requestProgress: () => backend.requestProgress(),
    grantLease: (ttl) => backend.grantLease(ttl),
    checkHealth: () => backend.checkHealth(),
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  }
}

describeStorage('memory, read by pages', async (request) => {
  const clock = createManualClock()
  const backend = openMemory({ clock })
  return {
    storage: createObjectStore({ ...request, backend: plain(backend), now: clock.now }),
    ...(hasCompaction(backend) && { compact: (revision: number) => backend.compact(revision) }),
    advance: (ms) => clock.advance(ms),
    requestProgress: () => backend.requestProgress(),
    close: () => backend[Symbol.asyncDispose](),
  }
})
