import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPrefixRange } from '@keelson/storagebackend'
import { expect, it } from 'vitest'
import { openEmbedded } from './index.ts'

const rounds = Number(process.env.KEELSON_CRASH_ROUNDS ?? 3)

/** Runs the writer process and kills it after a random time. Returns the writes that it has reported. */
function writeUntilKilled(dataDir: string, round: number, durability: 'fsync' | 'memory'): Promise<Map<string, number>> {
  return new Promise((resolve, reject) => {
    const resolvedRevisions = new Map<string, number>()
    const child = fork(join(import.meta.dirname, '../test/crash-writer.ts'), [dataDir, String(round), durability], { execArgv: [] })
    child.on('message', (message: string) => {
      if (message === 'ready') return
      // The time starts at the first reported write, because starting the process takes a different time on each machine.
      if (resolvedRevisions.size === 0) setTimeout(() => child.kill('SIGKILL'), Math.random() * 150)
      resolvedRevisions.set(message.split(' ')[0]!, Number(message.split(' ')[1]))
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      if (signal === 'SIGKILL') resolve(resolvedRevisions)
      else reject(new Error(`the writer exited with code ${code}`))
    })
  })
}

it.each([
  ['has every write that resolved before a SIGKILL, completely and only once', 'fsync'],
  ['a SIGKILL loses only the newest writes, if writes resolve before they are on disk', 'memory'],
] as const)(
  '%s',
  async (_title, durability) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'keelson-crash-'))
    try {
      const resolvedRevisions = new Map<string, number>()
      let last = 1
      for (let round = 0; round < rounds; round++) {
        const now = await writeUntilKilled(dataDir, round, durability)
        expect(now.size).toBeGreaterThan(0)
        for (const [key, revision] of now) {
          expect(revision).toBeGreaterThan(last)
          resolvedRevisions.set(key, revision)
        }
        await using backend = await openEmbedded({ dataDir })
        const { entries, revision } = await backend.list(createPrefixRange('/'))
        if (durability === 'fsync') expect(revision).toBeGreaterThanOrEqual(Math.max(...now.values()))
        for (const [key, at] of resolvedRevisions) if (at > revision) resolvedRevisions.delete(key)
        last = revision
        const stored = new Map(entries.map((entry) => [entry.key, entry]))
        for (const [key, at] of resolvedRevisions) expect(stored.get(key)?.modRevision).toBe(at)
        // A write that was not reported may exist, but only completely. No revision may be used twice.
        for (const { key, value, createRevision, modRevision } of entries) {
          expect(Buffer.from(value).toString()).toBe(`${key};`.repeat(200))
          expect(createRevision).toBe(modRevision)
        }
        expect(new Set(entries.map((entry) => entry.modRevision)).size).toBe(entries.length)
        expect(entries.length).toBe(revision - 1)
      }
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  20_000 + rounds * 5000,
)
