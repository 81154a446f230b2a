import { expect } from 'vitest'
import { formatEvents, ObjectWatchReader } from './object-watch-reader.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { waitFor } from './watch-reader.ts'

export function defineWatchReaderTests(test: DeclareStorageTest): void {
  test('watch: a reader that starts late gets all events in order', async ({ storage, prefix, createKey, create }) => {
    const start = await create('ns', 'start')
    const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(start.revision) })
    const revisions = [(await create('ns', 'first')).revision]
    // The watch is open, but its reader reads only one event.
    expect(formatEvents(await reader.objects(1))).toEqual(['ADDED first'])
    revisions.length = 0
    for (let i = 0; i < 15; i++) {
      revisions.push((await create('ns', 'a')).revision)
      revisions.push((await storage.delete(createKey('ns', 'a'))).revision)
    }
    const events = await reader.objects(revisions.length)
    expect(events.map((event) => event.revision)).toEqual(revisions)
    await reader.stop()
  })

  test('watch: ends when the storage closes', async ({ storage, prefix, create }) => {
    const start = await create('ns', 'start')
    const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(start.revision) })
    const ended = reader.next()
    await storage.close()
    expect(await ended).toBeUndefined()
    await reader.stop()
  })

  test('watch: after an abort, sends no events or the next ones in order, and then ends', async ({ storage, prefix, create }) => {
    const start = await create('ns', 'start')
    const abort = new AbortController()
    const watch = await storage.watch(prefix, { resourceVersion: String(start.revision), signal: abort.signal })
    const batches = watch[Symbol.asyncIterator]()
    const first = batches.next()
    const revisions: number[] = []
    for (let i = 0; i < 15; i++) revisions.push((await create('ns', `a${i}`)).revision)
    const sentRevisions: number[] = []
    for (let next = await first; !next.done; next = await batches.next()) {
      for (const event of next.value) if (event.type !== 'BOOKMARK') sentRevisions.push(event.object.revision)
      abort.abort()
    }
    expect(sentRevisions.length).toBeGreaterThan(0)
    expect(sentRevisions).toEqual(revisions.slice(0, sentRevisions.length))
    expect((await batches.next()).done).toBe(true)
  })

  test('watch: forEach waits for its reader between batches, and resolves at the end', async ({ storage, prefix, create }) => {
    const start = await create('ns', 'start')
    const abort = new AbortController()
    const watch = await storage.watch(prefix, { resourceVersion: String(start.revision), signal: abort.signal })
    const sentRevisions: number[] = []
    const revisions: number[] = []
    let batches = 0
    let doNothing = (): void => undefined
    let handed = Promise.withResolvers<void>()
    const end = watch.forEach((batch) => {
      batches++
      for (const event of batch) if (event.type !== 'BOOKMARK') sentRevisions.push(event.object.revision)
      handed.resolve()
      // Make the reader wait after every second batch.
      return batches % 2 === 0 ? undefined : new Promise((resolve) => (doNothing = resolve))
    })
    revisions.push((await create('ns', 'a')).revision)
    await waitFor(handed.promise, 'a batch')
    for (let i = 0; i < 15; i++) revisions.push((await create('ns', `a${i}`)).revision)
    expect(batches).toBe(1)
    while (sentRevisions.length < revisions.length) {
      handed = Promise.withResolvers<void>()
      doNothing()
      await waitFor(handed.promise, 'a batch')
    }
    expect(sentRevisions).toEqual(revisions)
    abort.abort()
    doNothing()
    await waitFor(end, 'the end')
  })

  test('watch: an error thrown by the reader ends the watch and rejects forEach', async ({ storage, prefix, create }) => {
    const start = await create('ns', 'start')
    for (const fail of [
      () => Promise.reject(new Error('reader failed')),
      () => {
        throw new Error('reader failed')
      },
    ]) {
      const { signal } = new AbortController()
      const watch = await storage.watch(prefix, { resourceVersion: String(start.revision), signal })
      let batches = 0
      const end = watch.forEach(() => {
        batches++
        return fail()
      })
      end.catch(() => undefined)
      await create('ns', `a${start.revision}`).catch(() => undefined)
      await expect(waitFor(end, 'the end')).rejects.toThrow('reader failed')
      await create('ns', 'b').catch(() => undefined)
      expect(batches).toBe(1)
      expect((await watch[Symbol.asyncIterator]().next()).done).toBe(true)
    }
  })

  test('watch: fifty watches that nobody reads do not block another watch', async ({ storage, prefix, create }) => {
    const start = await create('ns', 'start')
    const open = (): Promise<ObjectWatchReader> => ObjectWatchReader.open(storage, prefix, { resourceVersion: String(start.revision) })
    const [read, ...unread] = await Promise.all(Array.from({ length: 51 }, open))
    await create('ns', 'first')
    // Every watch has sent its first event, so all of them are open.
    await Promise.all([read!, ...unread].map((reader) => reader.objects(1)))
    for (let i = 0; i < 22; i++) {
      const { revision } = await create('ns', `a${i}`)
      expect((await read!.objects(1))[0]!.revision).toBe(revision)
    }
    await Promise.all([read!, ...unread].map((reader) => reader.stop()))
  })
}
