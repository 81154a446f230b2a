import { newResourceExpired } from '@keelson/apimachinery'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import { openTestStore } from '@keelson/registry/testing'
import { defineResource } from '@keelson/registry'
import { IteratedWatch } from '@keelson/storagebackend'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createInformer, createSharedInformers } from './informers.ts'
import { createLoopbackClient } from './create-loopback-client.ts'
import type { InformerEvent, LoopbackResource } from './client.ts'

interface Thing extends KubeObject {
  value?: number
}
const things = defineResource<Thing>({ group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced', strategy: {} })
/** A clock whose timers expire at once. */
const eager: Clock = {
  now: () => 0,
  after(_milliseconds, callback) {
    const timer = setImmediate(callback)
    return () => clearImmediate(timer)
  },
}

const waitUntilPasses = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 5 })

let resource: LoopbackResource<Thing>
let close: () => PromiseLike<void>
beforeEach(() => {
  const test = openTestStore(things)
  const client = createLoopbackClient()
  client.add({ group: '', version: 'v1' }, test.paths)
  resource = client.resource<Thing>({ group: '', resource: 'things' })!
  close = () => test[Symbol.asyncDispose]()
})
afterEach(() => close())

it('lists existing objects, then follows every change', async () => {
  await resource.create('ns', { metadata: { name: 'a' }, value: 1 })
  await using informer = createInformer(resource)
  await informer.synced
  expect(informer.get('ns', 'a')?.value).toBe(1)
  const events: string[] = []
  informer.subscribe((event) => events.push(describeEvent(event)))
  await resource.create('other', { metadata: { name: 'b' }, value: 2 })
  await resource.update('ns', 'a', (thing) => ({ ...thing, value: 3 }))
  await resource.delete('ns', 'a')
  await waitUntilPasses(() => expect(events).toEqual(['added ns/a 1', 'added other/b 2', 'updated ns/a 3 was 1', 'deleted ns/a 3']))
  expect(informer.list('ns')).toEqual([])
  expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(['b'])
})

it('resumes a broken watch without repeating events', async () => {
  const breaks = createBreakable(resource)
  const errors: unknown[] = []
  await using informer = createInformer(breaks.resource, { clock: eager, onError: (error) => errors.push(error) })
  await resource.create('ns', { metadata: { name: 'a' }, value: 1 })
  await informer.synced
  const events: string[] = []
  await waitUntilPasses(() => expect(informer.list()).toHaveLength(1))
  informer.subscribe((event) => events.push(describeEvent(event)))
  breaks.break(new Error('cut'))
  await resource.create('ns', { metadata: { name: 'b' }, value: 2 })
  await waitUntilPasses(() => expect(events).toEqual(['added ns/a 1', 'added ns/b 2']))
  expect(errors).toHaveLength(1)
  expect(breaks.opened.at(-1)).toMatchObject({ resourceVersion: expect.stringMatching(/^[1-9]/) })
})

it('lists all objects again after a compaction, and reports deleted objects', async () => {
  await resource.create('ns', { metadata: { name: 'a' }, value: 1 })
  await resource.create('ns', { metadata: { name: 'b' }, value: 1 })
  const breaks = createBreakable(resource)
  await using informer = createInformer(breaks.resource, { clock: eager })
  await informer.synced
  const events: string[] = []
  informer.subscribe((event) => events.push(describeEvent(event)))
  events.length = 0
  breaks.hold()
  breaks.break(newResourceExpired('too old'))
  await resource.delete('ns', 'a')
  await resource.update('ns', 'b', (thing) => ({ ...thing, value: 2 }))
  breaks.release()
  await waitUntilPasses(() => expect(events).toEqual(['updated ns/b 2 was 1', 'deleted ns/a 1']))
})

it('continues if a handler throws, and does not call unsubscribed handlers', async () => {
  const errors: unknown[] = []
  await using informer = createInformer(resource, { onError: (error) => errors.push(error) })
  await informer.synced
  const handled: string[] = []
  informer.subscribe(() => {
    throw new Error('handler')
  })
  const unsubscribe = informer.subscribe(() => handled.push('left'))
  unsubscribe()
  informer.subscribe(() => handled.push('stayed'))
  await resource.create('ns', { metadata: { name: 'a' } })
  await waitUntilPasses(() => expect(handled).toEqual(['stayed']))
  expect(errors).toHaveLength(1)
})

it('stops while waiting to retry', async () => {
  const failing: LoopbackResource<Thing> = { ...createBreakable(resource).resource, watch: () => Promise.reject(new Error('down')) }
  const errors: unknown[] = []
  const informer = createInformer(failing, { onError: (error) => errors.push(error) })
  await waitUntilPasses(() => expect(errors).toHaveLength(1))
  await informer[Symbol.asyncDispose]()
})

function describeEvent(event: InformerEvent<Thing>): string {
  const { metadata, value } = event.object
  return `${event.type} ${metadata.namespace}/${metadata.name} ${value}${event.type === 'updated' ? ` was ${event.old.value}` : ''}`
}

/** Wraps a resource so that a test can interrupt and delay its watches. */
function createBreakable(inner: LoopbackResource<Thing>) {
  let failWatch: (error: Error) => void = () => {}
  let gate = Promise.resolve()
  let open: () => void = () => {}
  const openOptions: unknown[] = []
  const watch: LoopbackResource<Thing>['watch'] = async (options) => {
    await gate
    openOptions.push(options)
    const abort = new AbortController()
    options.signal.addEventListener('abort', () => abort.abort())
    let failure: Error | undefined
    failWatch = (error) => {
      failure = error
      abort.abort()
    }
    const events = await inner.watch({ ...options, signal: abort.signal })
    return new IteratedWatch(
      (async function* () {
        yield* events
        if (failure !== undefined) throw failure
      })(),
    )
  }
  const otherVerbs = ['get', 'list', 'create', 'update', 'delete', 'deleteCollection'] as const
  const resource = Object.fromEntries(otherVerbs.map((name) => [name, inner[name].bind(inner)])) as unknown as LoopbackResource<Thing>
  return {
    resource: { ...resource, watch },
    opened: openOptions,
    break: (error: Error) => failWatch(error),
    hold: () => {
      gate = new Promise((resolve) => {
        open = resolve
      })
    },
    release: () => open(),
  }
}

const thingsResource = { group: '', resource: 'things' }

it('creates one informer for each resource, which receives the existing objects', async () => {
  await using test = openTestStore(
    defineResource({ group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced', strategy: {} }),
  )
  const client = createLoopbackClient()
  await using informers = createSharedInformers(client)
  expect(informers.of(thingsResource)).toBeUndefined()
  client.add({ group: '', version: 'v1' }, test.paths)
  await client.resource(thingsResource)!.create('ns', { metadata: { name: 'a' } })
  const informer = informers.of(thingsResource)!
  expect(informer.hasSynced).toBe(false)
  expect(informers.of(thingsResource)).toBe(informer)
  await informer.synced
  expect(informer.hasSynced).toBe(true)
  expect(informer.get('ns', 'a')?.metadata.name).toBe('a')
})

it('starts a new informer for a resource that was removed and added again', async () => {
  const definition = defineResource({ group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced', strategy: {} })
  const client = createLoopbackClient()
  await using informers = createSharedInformers(client)
  await using first = openTestStore(definition)
  const remove = client.add({ group: '', version: 'v1' }, first.paths)
  const informer = informers.of(thingsResource)!
  await informer.synced
  remove()
  await informers.remove(thingsResource)
  expect(informers.of(thingsResource)).toBeUndefined()
  await using second = openTestStore(definition)
  client.add({ group: '', version: 'v1' }, second.paths)
  await client.resource(thingsResource)!.create('ns', { metadata: { name: 'later' } })
  expect(informers.of(thingsResource)).not.toBe(informer)
  await informers.of(thingsResource)!.synced
  expect(
    informers
      .of(thingsResource)!
      .list()
      .map(({ metadata }) => metadata.name),
  ).toEqual(['later'])
  expect(informer.list()).toEqual([])
})
