import type { KubeObject } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import { openTestStore } from '@keelson/registry/testing'
import { expect, it } from 'vitest'
import { createLoopbackClient } from './create-loopback-client.ts'
import { followResource } from './follow-resource.ts'

const things = defineResource<KubeObject>({ group: '', version: 'v1', kind: 'Thing', plural: 'things', scope: 'Namespaced', strategy: {} })

it('delivers changes after the initial list is processed', async () => {
  await using opened = openTestStore(things)
  const client = createLoopbackClient()
  client.add({ group: '', version: 'v1' }, opened.paths)
  const resource = client.resource({ group: '', resource: 'things' })!
  await resource.create('ns', { metadata: { name: 'a' } })
  const stop = new AbortController()
  const seen: string[] = []
  const began = Promise.withResolvers<void>()
  const through = Promise.withResolvers<void>()
  const changed = Promise.withResolvers<void>()
  const done = followResource(
    resource,
    {
      async replace(objects) {
        seen.push(...objects.map(({ key }) => `there ${key}`))
        began.resolve()
        await through.promise
        seen.push('through')
      },
      apply({ type, object }) {
        seen.push(`${type} ${object.key}`)
        changed.resolve()
      },
    },
    { signal: stop.signal },
  )
  await began.promise
  await resource.create('ns', { metadata: { name: 'b' } })
  through.resolve()
  await changed.promise
  expect(seen.map((text) => text.replace(/ .*\//, ' '))).toEqual(['there a', 'through', 'ADDED b'])
  stop.abort()
  await done
})
