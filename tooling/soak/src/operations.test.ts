import { expect, test } from 'vitest'
import type { CountedAnswer, CountedClient } from './counted-client.ts'
import { kinds } from './kinds.ts'
import { operations } from './operations.ts'
import type { LoadContext } from './operations.ts'
import { runLoad } from './run-load.ts'
import { Slots } from './slots.ts'
import { Tally } from './tally.ts'

/** Creates the state of a load whose requests `send` answers. Half of the slots have an object. */
function createContext(send: () => Promise<CountedAnswer>): LoadContext {
  const slots = new Slots(kinds, Math.random)
  for (const [n, slot] of slots.all.entries()) slot.resourceVersion = n % 2 === 0 ? '1' : undefined
  let next = 0
  return {
    client: { send } as Partial<CountedClient> as CountedClient,
    slots,
    leases: [{ name: 'node-0', resourceVersion: '1', isBusy: false }],
    tally: new Tally(),
    random: Math.random,
    next: () => next++,
  }
}

const isBusy = (object: { readonly isBusy: boolean }): boolean => object.isBusy
const answerNothing: CountedAnswer = { status: 500, body: Buffer.from('{}'), milliseconds: 1 }

test.each(operations.map((operation) => [operation.name, operation] as const))(
  '%s releases its objects if the connection breaks',
  async (_name, { run }) => {
    const context = createContext(() => Promise.reject(new Error('socket hang up')))
    await expect(run(context)).rejects.toThrow('socket hang up')
    expect([...context.slots.all, ...context.leases].filter(isBusy)).toEqual([])
  },
)

test('operations that find no object in the right state are counted as skipped, and broken ones as failed', async () => {
  const context = createContext(() => Promise.reject(new Error('socket hang up')))
  for (const object of [...context.slots.all, ...context.leases]) object.isBusy = true
  setTimeout(() => {
    for (const object of [...context.slots.all, ...context.leases]) object.isBusy = false
  }, 300)
  const { outcomes } = await runLoad({ context, url: 'https://127.0.0.1:1', seconds: 0.2, rate: 1 })
  expect(outcomes['get']).toMatchObject({ done: 0, failed: 0 })
  expect(outcomes['get']?.skipped).toBeGreaterThan(0)
  expect(outcomes['list by label']?.failed).toBeGreaterThan(0)
  expect(context.tally.problems[0]).toContain('socket hang up')
})

test('the deletion of a batch waits until all objects of a kind are idle, and keeps them', async () => {
  const deleteBatch = operations.find(({ name }) => name === 'delete batch')!
  let sent = 0
  const context = createContext(async () => {
    sent++
    return answerNothing
  })
  const [first, ...others] = kinds.map((kind) => context.slots.all.find((slot) => slot.kind === kind)!)
  for (const slot of [first!, ...others]) slot.isBusy = true
  const deleted = deleteBatch.run(context)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(sent).toBe(0)
  for (const slot of [first!, ...others]) slot.isBusy = false
  expect(await deleted).toBe('done')
  expect([sent, context.slots.all.filter(isBusy)]).toEqual([1, []])
})
