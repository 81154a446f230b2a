import { defineResource } from '@keelson/registry'
import { openTestStore } from '@keelson/registry/testing'
import { expect, it } from 'vitest'
import { createLoopbackClient } from './create-loopback-client.ts'
import { createSharedInformers } from './informers.ts'

const things = { group: '', resource: 'things' }

it('shares one informer per resource and syncs it', async () => {
  await using test = openTestStore(
    defineResource({ group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced', strategy: {} }),
  )
  const client = createLoopbackClient()
  await using informers = createSharedInformers(client)
  expect(informers.of(things)).toBeUndefined()
  client.add({ group: '', version: 'v1' }, test.paths)
  await client.resource(things)!.create('ns', { metadata: { name: 'a' } })
  const informer = informers.of(things)!
  expect(informer.hasSynced).toBe(false)
  expect(informers.of(things)).toBe(informer)
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
  const informer = informers.of(things)!
  await informer.synced
  remove()
  await informers.remove(things)
  expect(informers.of(things)).toBeUndefined()
  await using second = openTestStore(definition)
  client.add({ group: '', version: 'v1' }, second.paths)
  await client.resource(things)!.create('ns', { metadata: { name: 'later' } })
  expect(informers.of(things)).not.toBe(informer)
  await informers.of(things)!.synced
  expect(
    informers
      .of(things)!
      .list()
      .map(({ metadata }) => metadata.name),
  ).toEqual(['later'])
  expect(informer.list()).toEqual([])
})
