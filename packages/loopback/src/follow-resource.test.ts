import type { KubeObject } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import { openTestStore } from '@keelson/registry/testing'
import { expect, it } from 'vitest'
import { createLoopbackClient } from './create-loopback-client.ts'
import { followResource } from './follow-resource.ts'

const things = defineResource<KubeObject>({ group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced', strategy: {} })

it('delivers changes only after the sink has processed the initial list', async () => {
  await using opened = openTestStore(things)
  const client = createLoopbackClient()
  client.add({ group: '', version: 'v1' }, opened.paths)
  const resource = client.resource({ group: '', resource: 'things' })!
  await resource.create('ns', { metadata: { name: 'a' } })
  const abort = new AbortController()
  const calls: string[] = []
  const replaceStarted = Promise.withResolvers<void>()
  const replaceDone = Promise.withResolvers<void>()
  const changed = Promise.withResolvers<void>()
  const following = followResource(
    resource,
    {
      async replace(objects) {
        calls.push(...objects.map(({ key }) => `there ${key}`))
        replaceStarted.resolve()
        await replaceDone.promise
        calls.push('through')
      },
      apply({ type, object }) {
        calls.push(`${type} ${object.key}`)
        changed.resolve()
      },
    },
    { signal: abort.signal },
  )
  await replaceStarted.promise
  await resource.create('ns', { metadata: { name: 'b' } })
  replaceDone.resolve()
  await changed.promise
  expect(calls.map((text) => text.replace(/ .*\//, ' '))).toEqual(['there a', 'through', 'ADDED b'])
  abort.abort()
  await following
})
