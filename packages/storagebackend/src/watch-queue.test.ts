import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { WatchMessage } from './backend.ts'
import { WatchQueue, type WatchQueueOptions } from './watch-queue.ts'

const limits = { changes: 1000, bytes: 10_000 }
const createChanges = (revision: number, count = 1): { type: 'delete'; key: string; revision: number; previous: undefined }[] =>
  Array.from({ length: count }, (_, i) => ({ type: 'delete', key: `k${i}`, revision, previous: undefined }))

let abort: AbortController
beforeEach(() => {
  abort = new AbortController()
})
const open = (options: Partial<WatchQueueOptions> = {}): WatchQueue =>
  new WatchQueue({ range: { start: 'k', end: 'l' }, after: 0, limits, signal: abort.signal, onEnd: () => {}, ...options })

const summarizeMessage = (message: WatchMessage): unknown[] => [
  message.type,
  message.revision,
  ...(message.type === 'changes' ? [message.changes.length] : []),
]
async function take(queue: WatchQueue, count: number): Promise<unknown[]> {
  const results: unknown[] = []
  while (results.length < count) {
    const { done, value } = await queue.next()
    results.push(done ? 'end' : summarizeMessage(value))
  }
  return results
}

describe('WatchQueue', () => {
  it('joins revisions into one message, never splits a revision, and sends progress after them', async () => {
    const queue = open()
    for (let revision = 1; revision <= 4; revision++) queue.push(revision, createChanges(revision, 200), 10)
    queue.progress(5)
    queue.progress(6)
    queue.push(7, createChanges(7), 10)
    expect(await take(queue, 4)).toEqual([
      ['changes', 2, 400],
      ['changes', 4, 400],
      ['progress', 6],
      ['changes', 7, 1],
    ])
  })

  it('sends a revision that is larger than the message size as one message', async () => {
    const queue = open()
    queue.push(1, createChanges(1, 700), 10)
    queue.push(2, createChanges(2), 10)
    expect(await take(queue, 2)).toEqual([
      ['changes', 1, 700],
      ['changes', 2, 1],
    ])
  })

  it('sends all changes of one event loop turn to a waiting reader in one message, and answers concurrent reads in order', async () => {
    const queue = open()
    const reads = Promise.all([take(queue, 1), take(queue, 1), take(queue, 1)])
    const first = createChanges(1)
    queue.push(1, first, 10)
    queue.push(2, createChanges(2), 10)
    queue.progress(3)
    await new Promise((resolve) => setImmediate(resolve))
    queue.end(undefined)
    expect(await reads).toEqual([[['changes', 2, 2]], [['progress', 3]], ['end']])
    // The driver passes the same array to other queues too, so the queue must not change it.
    expect(first).toHaveLength(1)
  })

  it('skips revisions that the reader already has', async () => {
    const queue = open({ after: 5 })
    queue.push(4, createChanges(4), 10)
    queue.progress(4)
    queue.push(5, createChanges(5), 10)
    queue.push(6, createChanges(6), 10)
    expect(await take(queue, 1)).toEqual([['changes', 6, 1]])
  })

  it('sends the messages of `earlier` before pushed ones', async () => {
    const queue = open({
      async *openEarlier() {
        yield { type: 'changes', changes: createChanges(1), revision: 1 }
        queue.push(3, createChanges(3), 10)
        yield { type: 'changes', changes: createChanges(2), revision: 2 }
        return undefined
      },
    })
    expect(await take(queue, 3)).toEqual([
      ['changes', 1, 1],
      ['changes', 2, 1],
      ['changes', 3, 1],
    ])
  })

  it('ends with the error that `earlier` throws', async () => {
    const onEnd = vi.fn()
    const queue = open({
      onEnd,
      openEarlier: () => ({ next: () => Promise.reject(new Error('gone')) }),
    })
    await expect(queue.next()).rejects.toThrow('gone')
    expect(onEnd).toHaveBeenCalledExactlyOnceWith(queue)
    expect(await take(queue, 1)).toEqual(['end'])
  })

  it('accepts new changes after earlier ones were read', async () => {
    const queue = open()
    for (let revision = 1; revision < 100; revision++) {
      queue.push(2 * revision, createChanges(revision, 400), 5000)
      queue.push(2 * revision + 1, createChanges(revision, 400), 4000)
      await take(queue, 2)
    }
    expect(queue.ended).toBe(false)
  })

  it.each([
    ['changes', 1001, 1],
    ['bytes', 1, 10_001],
  ])('ends if there are too many %s', async (_what, count, bytes) => {
    const onEnd = vi.fn()
    const queue = open({ onEnd })
    const waiting = queue.next()
    queue.push(1, createChanges(1, count), bytes)
    await expect(waiting).rejects.toMatchObject({ name: 'SlowWatcherError' })
    queue.push(2, createChanges(2), 1)
    expect(await take(queue, 1)).toEqual(['end'])
    expect(onEnd).toHaveBeenCalledExactlyOnceWith(queue)
  })

  it.each<[string, (queue: WatchQueue) => unknown]>([
    ['its signal', () => abort.abort()],
    ['an end without an error', (queue) => queue.end(undefined)],
    ['a reader that leaves', (queue) => queue.return()],
  ])('%s drops unread messages', async (_name, leave) => {
    const onEnd = vi.fn()
    const queue = open({ onEnd })
    queue.push(1, createChanges(1), 1)
    leave(queue)
    expect([queue.ended, await take(queue, 1)]).toEqual([true, ['end']])
    expect(onEnd).toHaveBeenCalledOnce()
  })

  it('ends at once if the signal has already aborted', async () => {
    abort.abort()
    expect(await take(open(), 1)).toEqual(['end'])
  })
})
