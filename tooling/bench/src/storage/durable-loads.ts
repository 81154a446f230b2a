import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openEmbedded } from '@keelson/backend-embedded'
import { open } from 'lmdb'
import type { Load, OpenLoad } from './storage-job.ts'
import { createValues, buildKey } from './values.ts'

/** Returns a load that creates keys in the embedded store, like the storage layer does. A create resolves when it is flushed to disk. */
export function createEmbeddedLoad(inFlight: number): OpenLoad {
  return async ({ run }) => {
    const directory = createScratchDirectory()
    const store = await openEmbedded({ dataDir: directory })
    const value = createValues()
    return {
      inFlight,
      async runOnce(n) {
        const key = buildKey(run, n)
        const result = await store.commit({
          compare: [{ key, modRevision: 0 }],
          operations: [{ type: 'put', key, value: value(n) }],
        })
        if (!result.committed) throw new Error(`${key} already exists`)
      },
      async [Symbol.asyncDispose]() {
        await store[Symbol.asyncDispose]()
        rmSync(directory, { recursive: true })
      },
    }
  }
}

/** Returns a load that writes with the lmdb package alone. Each operation puts a value and waits until it is flushed to disk. */
export function createLmdbLoad(inFlight: number): OpenLoad {
  return async ({ run }): Promise<Load> => {
    const directory = createScratchDirectory()
    const database = open<Uint8Array, string>({ path: directory, encoding: 'binary' })
    const value = createValues()
    return {
      inFlight,
      async runOnce(n) {
        await database.put(buildKey(run, n), value(n))
        await database.flushed
      },
      async [Symbol.asyncDispose]() {
        await database.close()
        rmSync(directory, { recursive: true })
      },
    }
  }
}

function createScratchDirectory(): string {
  return mkdtempSync(path.join(tmpdir(), 'keelson-bench-'))
}
