import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createManualClock } from '@keelson/apimachinery/testing'
import { openEmbedded, openMemory } from '@keelson/backend-embedded'
import { describeStorage } from '@keelson/storagebackend/testing'
import type { StorageSuiteRequest, StorageUnderTest } from '@keelson/storagebackend/testing'
import { withoutSnapshots } from './cacher.fixture.ts'
import { openCachedStorage } from './testing/index.ts'
import type { CachedStorageOptions } from './testing/index.ts'

describeStorage('cacher over memory', (request) => openTimed(request, (clock) => ({ backend: openMemory({ clock }) })))

describeStorage('cacher over a store without snapshots', (request) =>
  openTimed(request, (clock) => ({ backend: openMemory({ clock }), wrap: withoutSnapshots })),
)

describeStorage('cacher over lmdb', async (request) => {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'keelson-cacher-'))
  const under = await openTimed(request, async (clock) => ({ backend: await openEmbedded({ clock, dataDir }) }))
  return {
    ...under,
    async close() {
      await under.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
})

type TestClock = ReturnType<typeof createManualClock>

async function openTimed(
  request: StorageSuiteRequest,
  options: (clock: TestClock) => CachedStorageOptions | Promise<CachedStorageOptions>,
): Promise<StorageUnderTest> {
  const clock = createManualClock()
  // Advance the clock continuously, for reads that wait with a timeout.
  const passing = setInterval(() => clock.advance(10), 10)
  const under = await openCachedStorage(request, { ...(await options(clock)), clock })
  return { ...under, close: () => Promise.resolve(under.close()).finally(() => clearInterval(passing)) }
}
