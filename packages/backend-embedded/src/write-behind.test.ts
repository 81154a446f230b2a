import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createManualClock, settle } from '@keelson/apimachinery/testing'
import { createPrefixRange } from '@keelson/storagebackend'
import { expect, it } from 'vitest'
import { NotWrittenError } from './durability.ts'
import type { EmbeddedBackend } from './embedded-store.ts'
import { openEmbedded } from './index.ts'
import { openDurable } from './open-embedded.ts'
import { HeldDisk } from './testing/index.ts'
import { WriteBehind } from './write-behind.ts'

const put = (backend: EmbeddedBackend, key: string, bytes = 1): ReturnType<EmbeddedBackend['commit']> =>
  backend.commit({ compare: [], operations: [{ type: 'put', key, value: Buffer.alloc(bytes, 1) }] })
const remove = (backend: EmbeddedBackend, key: string): ReturnType<EmbeddedBackend['commit']> =>
  backend.commit({ compare: [], operations: [{ type: 'delete', key }] })
const listBatchKeys = (disk: HeldDisk): string[][] => disk.batches.map(({ puts }) => Array.from(puts, ({ key }) => key))

it('a write resolves before the disk has written it, and waiting batches are joined into one, in order', async () => {
  const disk = new HeldDisk()
  const backend = openDurable(new WriteBehind(disk), {})
  for (const key of ['/a', '/b', '/c']) await put(backend, key)
  await remove(backend, '/b')
  await put(backend, '/c')
  expect(backend.takeSnapshot().revision).toBe(6)
  expect(disk.durable).toBe(1)
  await disk.release()
  await settle()
  expect(listBatchKeys(disk).slice(1)).toEqual([['/c']])
  expect(disk.batches[1]).toMatchObject({ revision: 6, replaced: [], deletes: new Set(['/b']) })
  const closing = backend[Symbol.asyncDispose]()
  await disk.release()
  await closing
  expect(disk.durable).toBe(6)
})

it('writes everything to disk at an orderly close', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'keelson-behind-'))
  try {
    const firstStore = await openEmbedded({ dataDir, durability: 'memory' })
    for (let i = 0; i < 300; i++) await put(firstStore, `/${i % 70}`, 5000)
    for (let i = 0; i < 70; i += 3) await remove(firstStore, `/${i}`)
    const expected = await firstStore.list(createPrefixRange('/'))
    await firstStore[Symbol.asyncDispose]()
    await using after = await openEmbedded({ dataDir })
    expect(await after.list(createPrefixRange('/'))).toEqual(expected)
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

it('a write waits for the disk if too many bytes are not written yet', async () => {
  const disk = new HeldDisk()
  const backend = openDurable(new WriteBehind(disk), {})
  for (let i = 0; i < 9; i++) await put(backend, `/${i}`, 8 * 2 ** 20)
  let isResolved = false
  const lateWrite = put(backend, '/late').then(() => (isResolved = true))
  await settle()
  expect(isResolved).toBe(false)
  while (!isResolved) {
    await disk.release()
    await settle()
  }
  await lateWrite
})

it('refuses the next write on a full disk, and writes all accepted ones when there is space again', async () => {
  const disk = new HeldDisk()
  const clock = createManualClock()
  const backend = openDurable(new WriteBehind(disk), { clock })
  await put(backend, '/a')
  await put(backend, '/b')
  await disk.release(new NotWrittenError('no space left'))
  await settle()
  const refusal = put(backend, '/c')
  await disk.release(new NotWrittenError('no space left'))
  await expect(refusal).rejects.toMatchObject({ name: 'ReadOnlyError' })
  clock.advance(5001)
  const acceptedWrite = put(backend, '/d')
  await disk.release()
  expect(await acceptedWrite).toEqual({ committed: true, revision: 4 })
  await disk.release()
  await settle()
  expect(listBatchKeys(disk).slice(-2)).toEqual([['/a', '/b'], ['/d']])
  expect(disk.durable).toBe(4)
})

it('a disk that fails with another error stops the store at the next write', async () => {
  const disk = new HeldDisk()
  const backend = openDurable(new WriteBehind(disk), {})
  await put(backend, '/a')
  await disk.release(new Error('the disk disappeared'))
  await settle()
  await expect(put(backend, '/b')).rejects.toMatchObject({ name: 'StoppedError' })
  await expect(backend.checkHealth()).rejects.toThrow(/the disk disappeared/)
})
