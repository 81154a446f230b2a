import { openMemory } from '@keelson/backend-embedded'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ClusterClock, settle } from './cluster-clock.ts'
import { HeldControllers } from './held-controllers.ts'
import { startKeelson } from './start-keelson.ts'

describe('the start of held controllers', () => {
  const clock = new ClusterClock({ frozen: true })
  let store: ReturnType<typeof openMemory>
  let held: HeldControllers
  let hasStarted: boolean
  beforeEach(() => {
    store = openMemory({ clock })
    held = new HeldControllers(store, clock)
    hasStarted = false
    void held.start.then(() => (hasStarted = true))
  })
  afterEach(async () => {
    held.close()
    await store[Symbol.asyncDispose]()
  })
  const write = (): Promise<unknown> =>
    store.commit({ compare: [], operations: [{ type: 'put', key: '/registry/configmaps/default/a', value: Buffer.from('{}') }] })

  test('follows the first change', async () => {
    await settle()
    expect([hasStarted, held.isSettled]).toEqual([false, true])
    await write()
    expect(held.isSettled).toBe(false)
    await settle()
    expect(hasStarted).toBe(true)
  })

  test('happens after a while without a change', async () => {
    await clock.advance(99)
    expect(hasStarted).toBe(false)
    await clock.advance(1)
    expect(hasStarted).toBe(true)
  })

  test('never happens after close', async () => {
    held.close()
    await write()
    await clock.advance('1h')
    expect(hasStarted).toBe(false)
  })
})

const createNamespace = (name: string): object => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

test('controllers of a fork handle changes of the fork', async () => {
  await using origin = await startKeelson()
  await using fork = await origin.fork()
  await fork.apply(createNamespace('n'))
  await fork.waitFor({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'n' } }, 'exists')
  await fork.reset()
  await expect(fork.resource('namespaces').get('n')).rejects.toMatchObject({ reason: 'NotFound' })
})

test('a fork of a cluster whose controllers have work has the objects that they create', async () => {
  await using origin = await startKeelson()
  for (let round = 0; round < 5; round++) {
    await origin.resource('namespaces').create({ metadata: { name: `n${round}` } })
    await using fork = await origin.fork()
    const account = await fork.resource('serviceaccounts', { namespace: `n${round}` }).get('default')
    expect(account.metadata.name).toBe('default')
    // The same holds for a fork of a fork whose controllers start at this moment.
    await fork.resource('namespaces').create({ metadata: { name: 'deep' } })
    await using second = await fork.fork()
    expect((await second.resource('serviceaccounts', { namespace: 'deep' }).get('default')).metadata.namespace).toBe('deep')
  }
})
