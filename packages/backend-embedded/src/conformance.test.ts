import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock } from '@keelson/apimachinery/testing'
import { describeBackend } from '@keelson/storagebackend/testing'
import { describe } from 'vitest'
import { openEmbedded, openMemory } from './index.ts'

describeBackend('memory', async () => {
  const clock = createManualClock()
  return { backend: openMemory({ clock }), advance: (ms) => clock.advance(ms) }
})

describe.each(['fsync', 'memory'] as const)('durability %s:', (durability) =>
  describeBackend('lmdb', async () => {
    const clock = createManualClock()
    const dataDir = mkdtempSync(join(tmpdir(), 'keelson-suite-'))
    const backend = await openEmbedded({ dataDir, durability, clock })
    return {
      backend,
      advance: (ms) => clock.advance(ms),
      async close() {
        await backend[Symbol.asyncDispose]()
        rmSync(dataDir, { recursive: true, force: true })
      },
    }
  }),
)

describeBackend('fork', async () => {
  const clock = createManualClock()
  await using origin = openMemory({ clock })
  await origin.commit({ compare: [], operations: [{ type: 'put', key: '/other', value: Buffer.from('1') }] })
  return { backend: origin.fork(), advance: (ms) => clock.advance(ms) }
})
