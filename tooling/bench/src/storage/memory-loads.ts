import { openMemory } from '@keelson/backend-embedded'
import { createPrefixRange, type Entry } from '@keelson/storagebackend'
import type { OpenLoad } from './storage-job.ts'
import { createValues } from './values.ts'

const walked = 10_000
const range = createPrefixRange('/registry/pods/')

/**
 * Returns a load that iterates over a snapshot of the memory store and reads every entry. The bare load iterates over an array of the same
 * entries.
 */
export function walk(driver: 'ours' | 'bare'): OpenLoad {
  return async () => {
    const store = openMemory()
    const value = createValues()
    for (let n = 0; n < walked; n++) {
      // Inserts keys in mixed order, as in a store that has been in use.
      const key = `/registry/pods/ns-${n % 50}/pod-${(n * 7919) % walked}`
      await store.commit({ compare: [], operations: [{ type: 'put', key, value: value(n) }] })
    }
    const array = [...store.takeSnapshot().scan(range)]
    const createEntries = (): Iterable<Entry> => (driver === 'ours' ? store.takeSnapshot().scan(range) : array)
    return {
      inFlight: 1,
      async runOnce() {
        let bytes = 0
        let count = 0
        for (const entry of createEntries()) {
          bytes += entry.value.length
          count++
        }
        if (count !== walked || bytes === 0) throw new Error(`the iteration returned ${count} entries instead of ${walked}`)
      },
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    }
  }
}

/**
 * Returns a load whose operation is a write, followed by its event on the only matching watch. The number of pending operations (32) and of
 * keys (10,000) does not depend on the number of watches. Only the number of keys per watch does.
 */
export function createWatchLoad(count: 10 | 1000): OpenLoad {
  return async () => {
    const store = openMemory()
    const value = createValues()
    const abort = new AbortController()
    const waiting = new Map<string, () => void>()
    const ranges = Array.from({ length: count }, (_, i) => createPrefixRange(count === 10 ? formatTensPrefix(i) : formatHundredsPrefix(i)))
    const readers = ranges.map(async (watched) => {
      for await (const message of store.watch(watched, 1, { signal: abort.signal })) {
        if (message.type !== 'changes') continue
        for (const change of message.changes) {
          if (change.type !== 'put') continue
          const { key } = change.entry
          waiting.get(key)!()
          waiting.delete(key)
        }
      }
    })
    return {
      inFlight: 32,
      async runOnce(n) {
        const key = `${formatHundredsPrefix(n % 1000)}pod-${Math.floor(n / 1000) % 10}`
        const seen = new Promise<void>((resolve) => waiting.set(key, resolve))
        await store.commit({ compare: [], operations: [{ type: 'put', key, value: value(n) }] })
        await seen
      },
      async [Symbol.asyncDispose]() {
        abort.abort()
        await Promise.all(readers)
        await store[Symbol.asyncDispose]()
      },
    }
  }
}

const formatTensPrefix = (i: number): string => `/registry/pods/${i % 10}/`
const formatHundredsPrefix = (i: number): string => `${formatTensPrefix(i)}${Math.floor(i / 10)}/`
