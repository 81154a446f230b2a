import { isBackendError } from '@keelson/storagebackend'
import { createManualClock } from '@keelson/apimachinery/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { NotWrittenError } from './durability.ts'
import type { EmbeddedBackend } from './embedded-store.ts'
import { openDurable } from './open-embedded.ts'
import { HastyDisk, HeldDisk } from './testing/index.ts'

const waitTurns = async (count = 5): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}
const put = (backend: EmbeddedBackend, key: string, modRevision?: number): ReturnType<EmbeddedBackend['commit']> =>
  backend.commit({
    compare: modRevision === undefined ? [] : [{ key, modRevision }],
    operations: [{ type: 'put', key, value: Buffer.from('v') }],
  })

/** Returns the revisions that were resolved or visible before they were on disk. */
async function countEarlyAnswers(disk: HeldDisk): Promise<number[]> {
  const backend = openDurable(disk, {})
  const early: number[] = []
  const recordRevision = (revision: number): void => {
    if (revision > disk.durable) early.push(revision)
  }
  const abort = new AbortController()
  const watching = (async () => {
    for await (const message of backend.watch({ start: '/', end: '0' }, 1, { signal: abort.signal })) recordRevision(message.revision)
  })()
  const commits = Array.from({ length: 20 }, async (_, i) => {
    if (i % 4 === 3) await waitTurns(1)
    recordRevision((await put(backend, `/k${i % 6}`, i % 5 === 4 ? 0 : undefined)).revision)
    recordRevision((await backend.get(`/k${i % 6}`)).revision)
  })
  for (let i = 0; i < 20; i++) {
    await waitTurns(2)
    recordRevision(backend.takeSnapshot().revision)
    if (disk.batches.length > i) await disk.release()
  }
  await Promise.all(commits)
  abort.abort()
  await watching
  return early
}

afterEach(() => {
  vi.useRealTimers()
})

describe('a result', () => {
  it('a commit resolves only after its revision is durable', async () => {
    expect(await countEarlyAnswers(new HeldDisk())).toEqual([])
  })

  it('the test above fails for a disk that resolves too early', async () => {
    expect((await countEarlyAnswers(new HastyDisk())).length).toBeGreaterThan(0)
  })

  it('a failed compare resolves only after the write that it has read is durable', async () => {
    const disk = new HeldDisk()
    const backend = openDurable(disk, {})
    const winner = put(backend, '/a', 0)
    let failedCompare: unknown
    void put(backend, '/a', 0).then((result) => (failedCompare = result))
    await waitTurns()
    expect(failedCompare).toBeUndefined()
    expect((await backend.get('/a')).entry).toBeUndefined()
    await disk.release()
    await winner
    await waitTurns()
    expect(failedCompare).toMatchObject({ committed: false, revision: 2, current: [{ modRevision: 2 }] })
  })
})

it('flushes the writes of half of the writers, while the other half prepare their next write', async () => {
  const disk = new HeldDisk()
  const backend = openDurable(disk, {})
  const first = put(backend, '/first')
  await waitTurns()
  const laterWrites = Array.from({ length: 50 }, (_, i) => put(backend, `/k${i % 10}`))
  await waitTurns()
  expect(disk.batches).toHaveLength(1)
  await disk.release()
  await first
  for (let i = 0; i < 2; i++) await disk.release()
  await Promise.all(laterWrites)
  expect(disk.batches.map((batch) => batch.revision)).toEqual([2, 28, 52])
  expect(disk.batches[1]!.puts).toHaveLength(10)
})

it.each([
  ['flushes the writes of all writers together if each writer has its next write ready at once', 0, 8],
  ['does not wait for writes that together take longer than a flush', 3, 4],
])('%s', async (_title, timeForEach, largestBatch) => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const disk = new HeldDisk()
  const backend = openDurable(disk, {})
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; i < 10; i++) {
      vi.advanceTimersByTime(timeForEach)
      await put(backend, `/k${writer}/${i}`)
    }
  })
  for (await waitTurns(); disk.pending > 0; await waitTurns()) {
    vi.advanceTimersByTime(4)
    await disk.release()
  }
  await Promise.all(writers)
  const sizes = disk.batches.map((batch) => batch.puts.length)
  expect(Math.max(...sizes.slice(1))).toBe(largestBatch)
  expect(sizes.filter((size) => size === largestBatch).length).toBeGreaterThan(5)
})

it('writes the last state of each key in a batch, with the entries that it replaces', async () => {
  const disk = new HeldDisk()
  const backend = openDurable(disk, {})
  const first = put(backend, '/a')
  await disk.release()
  await first
  const remove = (key: string): Promise<unknown> => backend.commit({ compare: [], operations: [{ type: 'delete', key }] })
  const steps = [
    remove('/a'),
    put(backend, '/a'),
    put(backend, '/b'),
    put(backend, '/b'),
    put(backend, '/c'),
    remove('/c'),
    remove('/b'),
    put(backend, '/b'),
  ]
  for (await waitTurns(); disk.pending > 0; await waitTurns()) await disk.release()
  await Promise.all(steps)
  const remaining = new Map<string, number>()
  for (const batch of disk.batches) {
    for (const { modRevision } of batch.replaced) expect([...remaining.values()]).toContain(modRevision)
    for (const { key } of batch.puts) expect(batch.deletes).not.toContain(key)
    expect(new Set(batch.puts.map((entry) => entry.key)).size).toBe(batch.puts.length)
    for (const key of batch.deletes) remaining.delete(key)
    for (const { key, modRevision } of batch.puts) remaining.set(key, modRevision)
  }
  expect(Object.fromEntries(remaining)).toEqual({ '/a': 4, '/b': 10 })
})

it('stops when a flush fails, and never makes the writes of that flush visible', async () => {
  const disk = new HeldDisk()
  const backend = openDurable(disk, {})
  const watching = backend.watch({ start: '/', end: '0' }, 1, { signal: new AbortController().signal })[Symbol.asyncIterator]().next()
  const failures = [put(backend, '/a'), put(backend, '/b')].map((p) => p.catch((e: unknown) => e))
  await waitTurns()
  failures.push(put(backend, '/c').catch((e: unknown) => e))
  await disk.release(new Error('EIO'))
  for (const error of await Promise.all(failures)) expect(isBackendError(error, 'StoppedError')).toBe(true)
  await expect(watching).rejects.toThrow(/EIO/)
  await expect(put(backend, '/d')).rejects.toThrow(/stopped/)
  await expect(backend.checkHealth()).rejects.toThrow(/EIO/)
  expect(await backend.get('/a')).toEqual({ entry: undefined, revision: 1 })
})

it('is read-only while the disk is full, and accepts writes again when there is space', async () => {
  const clock = createManualClock()
  const disk = new HeldDisk()
  const backend = openDurable(disk, { clock })
  const first = put(backend, '/a')
  await disk.release()
  await first
  const refusals = [put(backend, '/a'), put(backend, '/b')].map((p) => p.catch((e: unknown) => e))
  await disk.release(new NotWrittenError('no space left on device'))
  for (const error of await Promise.all(refusals)) expect(isBackendError(error, 'ReadOnlyError')).toBe(true)
  await expect(put(backend, '/c')).rejects.toThrow(/no space left on device/)
  // Reads still work, so the store is healthy.
  await backend.checkHealth()
  expect(disk.batches).toHaveLength(2)
  expect((await backend.get('/a')).entry?.modRevision).toBe(2)
  clock.advance(5001)
  const retried = put(backend, '/a', 2)
  await disk.release()
  expect(await retried).toMatchObject({ committed: true, revision: 3 })
})

it('flushes accepted writes on disposal, and refuses later writes', async () => {
  const disk = new HeldDisk()
  const backend = openDurable(disk, {})
  const acceptedWrites = [put(backend, '/a'), put(backend, '/b')]
  const disposing = backend[Symbol.asyncDispose]()
  await expect(put(backend, '/c')).rejects.toThrow(/closed/)
  await disk.release()
  await disposing
  expect((await Promise.all(acceptedWrites)).map((result) => result.committed)).toEqual([true, true])
})

it('deletes a key whose put was not durable yet when its lease expired', async () => {
  const clock = createManualClock()
  const disk = new HeldDisk()
  const backend = openDurable(disk, { clock })
  const granting = backend.grantLease(10)
  await disk.release()
  const lease = await granting
  const putting = backend.commit({ compare: [], operations: [{ type: 'put', key: '/a', value: Buffer.from('v'), lease }] })
  await waitTurns()
  clock.advance(10_001)
  await disk.release()
  await putting
  await disk.release()
  await waitTurns()
  expect(await backend.get('/a')).toEqual({ entry: undefined, revision: 3 })
  expect(disk.batches.at(-1)!.endedLeases).toEqual([lease])
})

it('flushes at once if enough writes wait, and limits the size of a flush', async () => {
  const disk = new HeldDisk()
  const backend = openDurable(disk, {})
  const puts = Array.from({ length: 1200 }, (_, i) => put(backend, `/k${i}`))
  for (let i = 0; i < 4; i++) await disk.release()
  expect((await Promise.all(puts)).map((result) => result.revision)).toEqual(puts.map((_, i) => i + 2))
  expect(disk.batches.map((batch) => batch.revision)).toEqual([9, 521, 1033, 1201])
})

it('flushes at once when half of the earlier writers have submitted again', async () => {
  const disk = new HeldDisk()
  const backend = openDurable(disk, {})
  const four = Array.from({ length: 4 }, (_, i) => put(backend, `/k${i}`))
  await disk.release()
  await Promise.all(four)
  const singleWrite = put(backend, '/one')
  expect(disk.pending).toBe(0)
  const two = put(backend, '/two')
  expect(disk.pending).toBe(1)
  await disk.release()
  await Promise.all([singleWrite, two])
  expect(disk.batches.map((batch) => batch.revision)).toEqual([5, 7])
})
