import { describe, expect, it } from 'vitest'
import { WatchQueue } from './watch-queue.ts'

const limits = { changes: 1000, bytes: 10_000 }
const changes = (revision: number, count = 1): { type: 'delete'; key: string; revision: number; previous: undefined }[] =>
  Array.from({ length: count }, (_, i) => ({ type: 'delete', key: `k${i}`, revision, previous: undefined }))

describe('WatchQueue', () => {
  it('joins revisions, never splits one, and keeps progress behind them', () => {
    const queue = new WatchQueue(limits)
    for (let revision = 1; revision <= 4; revision++) queue.push(revision, changes(revision, 200), 10)
    queue.progress(5)
    queue.progress(6)
    queue.push(7, changes(7), 10)
    const taken = []
    for (let message = queue.take(); message; message = queue.take())
      taken.push([message.type, message.revision, message.type === 'changes' ? message.changes.length : 0])
    expect(taken).toEqual([
      ['changes', 2, 400],
      ['changes', 4, 400],
      ['progress', 6, 0],
      ['changes', 7, 1],
    ])
  })

  it('a revision larger than a message is a message', () => {
    const queue = new WatchQueue(limits)
    queue.push(1, changes(1, 700), 10)
    queue.push(2, changes(2), 10)
    expect(queue.take()).toMatchObject({ revision: 1 })
  })

  it('what is taken makes room', () => {
    const queue = new WatchQueue(limits)
    for (let revision = 1; revision < 100; revision++) {
      queue.push(revision, changes(revision, 400), 5000)
      queue.push(revision, changes(revision, 400), 4000)
      queue.take()
      queue.take()
    }
    expect(queue.ended).toBe(false)
  })

  it.each([
    ['changes', 1001, 1],
    ['bytes', 1, 10_001],
  ])('too many %s end it', async (_what, count, bytes) => {
    const queue = new WatchQueue(limits)
    const waiting = queue.ready()
    queue.push(1, changes(1, count), bytes)
    await waiting
    expect(() => queue.take()).toThrow(expect.objectContaining({ name: 'SlowWatcherError' }))
    queue.push(2, changes(2), 1)
    expect(() => queue.take()).toThrow()
  })

  it('an end without an error drops what is there', async () => {
    const queue = new WatchQueue(limits)
    queue.push(1, changes(1), 1)
    queue.end(undefined)
    await queue.ready()
    expect([queue.ended, queue.take()]).toEqual([true, undefined])
  })
})
