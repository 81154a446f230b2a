import type { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ReadingThreads } from './reading-threads.ts'
import type { YamlOutcome } from './yaml-worker.ts'

const never = new AbortController().signal
const done: YamlOutcome = { parsed: { value: 1, duplicates: [] } }
const createText = (length: number): string => 'x'.repeat(length)
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Creates threads whose parsing ends when the test says so. A read is identified by the length of its text. */
function createManualThreads() {
  const running = new Map<number, { readonly finish: () => void; readonly signal: AbortSignal }>()
  const budgets: { readonly milliseconds: number; readonly pass: () => void }[] = []
  const threads = new ReadingThreads(
    ({ length }, signal) =>
      new Promise((resolve, reject) => {
        const end = (): void => void running.delete(length)
        running.set(length, {
          signal,
          finish: () => {
            end()
            resolve(done)
          },
        })
        signal.addEventListener('abort', () => {
          end()
          reject(signal.reason as Error)
        })
      }),
    ((milliseconds: number, _: undefined, { signal }: { signal: AbortSignal }) =>
      new Promise<void>((resolve, reject) => {
        budgets.push({ milliseconds, pass: resolve })
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })) as typeof pause,
  )
  const finish = async (length: number): Promise<void> => {
    running.get(length)!.finish()
    await settle()
  }
  return { threads, budgets, finish, lengths: () => [...running.keys()].toSorted((a, b) => a - b) }
}

it('reads short texts during long ones, the shortest first', async () => {
  const { threads, finish, lengths } = createManualThreads()
  const reads = [2_000_000, 2_000_001, 2_000_002, 200_000, 100_000, 40_000].map((length) => threads.read(createText(length), never))
  await settle()
  expect(lengths()).toEqual([200_000, 2_000_000])
  await finish(200_000)
  expect(lengths()).toEqual([40_000, 2_000_000])
  await finish(40_000)
  expect(lengths()).toEqual([100_000, 2_000_000])
  await finish(2_000_000)
  expect(lengths()).toEqual([100_000, 2_000_001])
  await finish(100_000)
  await finish(2_000_001)
  await finish(2_000_002)
  expect(await Promise.all(reads)).toEqual(reads.map(() => done))
})

it('reads long texts even if shorter ones keep arriving', async () => {
  const { threads, finish, lengths } = createManualThreads()
  const reads = [50_000, 60_000, 90_000].map((length) => threads.read(createText(length), never))
  await settle()
  expect(lengths()).toEqual([50_000, 60_000])
  reads.push(threads.read(createText(40_000), never))
  await finish(60_000)
  expect(lengths()).toEqual([50_000, 90_000])
  for (const length of [50_000, 90_000, 40_000]) await finish(length)
  await Promise.all(reads)
})

it('terminates a thread that exceeds its time budget and continues with the next text', async () => {
  const { threads, budgets, finish, lengths } = createManualThreads()
  const slow = threads.read(createText(2 ** 20), never)
  const next = threads.read(createText(2 ** 20 + 1), never)
  await settle()
  expect(budgets.map(({ milliseconds }) => milliseconds)).toEqual([9_000])
  budgets[0]!.pass()
  expect(await slow).toEqual({ name: 'YamlError', message: 'the document takes too long to read: more than 9 s' })
  await settle()
  expect(lengths()).toEqual([2 ** 20 + 1])
  await finish(2 ** 20 + 1)
  expect(await next).toBe(done)
})

it('frees the slot of a disconnected client, whether its text waits or is being read', async () => {
  const { threads, finish, lengths } = createManualThreads()
  const [reader, waiter] = [new AbortController(), new AbortController()]
  const reads = [
    threads.read(createText(500_000), reader.signal),
    threads.read(createText(500_001), waiter.signal),
    threads.read(createText(500_002), never),
  ]
  await settle()
  waiter.abort(new Error('gone'))
  await expect(reads[1]).rejects.toThrow('gone')
  reader.abort(new Error('left'))
  await expect(reads[0]).rejects.toThrow('left')
  await settle()
  expect(lengths()).toEqual([500_002])
  await finish(500_002)
  await reads[2]
  await expect(threads.read(createText(1), waiter.signal)).rejects.toThrow('gone')
})
