import { everything, everyField, parseFieldSelector } from '@keelson/apimachinery'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ListRequest } from './rest.ts'
import { openTestStore, testContext } from './testing/index.ts'
import type { TestStore } from './testing/index.ts'
import { widgets } from './testing/widgets.fixture.ts'
import type { Widget } from './testing/widgets.fixture.ts'

let test: TestStore<Widget>
beforeAll(async () => {
  test = openTestStore(widgets)
  for (const namespace of ['one', 'two']) {
    for (const name of ['a', 'b']) await test.store.create(testContext(namespace), { metadata: { name } }, { dryRun: false })
  }
})
afterAll(() => test[Symbol.asyncDispose]())

const request: ListRequest = {
  predicate: { labels: everything(), fields: everyField() },
  resourceVersion: '',
  resourceVersionMatch: undefined,
  limit: 0,
  continue: '',
}
const list = async (namespace: string, fields = '', more: Partial<ListRequest> = {}): Promise<string[]> => {
  const predicate = { labels: everything(), fields: parseFieldSelector(fields) }
  const found = await test.store.list(testContext(namespace), { ...request, predicate, ...more })
  return Array.from(found.items, (item) => `${item.field('metadata.namespace')}/${item.field('metadata.name')}`)
}

it('reads one namespace, or all of them', async () => {
  expect(await list('one')).toEqual(['one/a', 'one/b'])
  expect(await list('')).toEqual(['one/a', 'one/b', 'two/a', 'two/b'])
})

it('reads only the keys that the field selector allows', async () => {
  expect(await list('', 'metadata.namespace=two')).toEqual(['two/a', 'two/b'])
  expect(await list('', 'metadata.name=b')).toEqual(['one/b', 'two/b'])
  expect(await list('one', 'metadata.name=b')).toEqual(['one/b'])
  expect(await list('one', 'metadata.name=b,metadata.namespace=two')).toEqual([])
  expect(await list('one', 'metadata.name=none')).toEqual([])
  expect(await list('one', 'metadata.name=../two/a')).toEqual([])
})

it('translates future versions and invalid continue tokens to API errors', async () => {
  await expect(list('one', '', { resourceVersion: '100000' })).rejects.toMatchObject({
    code: 504,
    details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
  })
  await expect(list('one', '', { resourceVersion: '9223372036854775807' })).rejects.toThrow('9223372036854775807, current')
  for (const fields of ['', 'metadata.name=b']) await expect(list('one', fields, { continue: 'x' })).rejects.toMatchObject({ code: 400 })
})
