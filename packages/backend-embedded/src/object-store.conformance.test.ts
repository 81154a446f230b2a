import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createObjectStore, type Backend } from '@keelson/storagebackend'
import { createManualClock } from '@keelson/apimachinery/testing'
import { describeStorage, putInto } from '@keelson/storagebackend/testing'
import { openEmbedded, openMemory } from './index.ts'

describeStorage('memory', async (request) => {
  const clock = createManualClock()
  const backend = openMemory({ clock })
  return {
    storage: createObjectStore({ ...request, backend, now: clock.now }),
    put: putInto(backend),
    compact: (revision) => backend.compact(revision),
    advance: (ms) => clock.advance(ms),
    requestProgress: () => backend.requestProgress(),
    close: () => backend[Symbol.asyncDispose](),
  }
})

describeStorage('lmdb', async (request) => {
  const clock = createManualClock()
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'keelson-objects-'))
  const backend = await openEmbedded({ clock, dataDir })
  return {
    storage: createObjectStore({ ...request, backend, now: clock.now }),
    put: putInto(backend),
    compact: (revision) => backend.compact(revision),
    advance: (ms) => clock.advance(ms),
    requestProgress: () => backend.requestProgress(),
    async close() {
      await backend[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true })
    },
  }
})

/** Returns the driver without its optional interfaces, so that the object store reads pages instead of snapshots. */
function withoutOptionalInterfaces(backend: Backend): Backend {
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
    storage: createObjectStore({ ...request, backend: withoutOptionalInterfaces(backend), now: clock.now }),
    put: putInto(backend),
    compact: (revision) => backend.compact(revision),
    advance: (ms) => clock.advance(ms),
    requestProgress: () => backend.requestProgress(),
    close: () => backend[Symbol.asyncDispose](),
  }
})
