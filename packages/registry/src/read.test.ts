import { selectEverything, selectEveryField, parseFieldSelector } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { IteratedWatch, StorageError } from '@keelson/storagebackend'
import type { ObjectEvents, ObjectWatch, Storage } from '@keelson/storagebackend'
import type { ListRequest, WatchRequest } from './rest.ts'
import { openTestStore, testContext } from './testing/index.ts'
import type { TestStore } from './testing/index.ts'
import { widgets } from './testing/widgets.fixture.ts'
import type { Widget } from './testing/widgets.fixture.ts'
import { createUndecoratedStorage } from './rest-options.ts'
import type { StorageDecorator } from './rest-options.ts'

let test: TestStore<Widget>
beforeAll(async () => {
  test = openTestStore(widgets)
  for (const namespace of ['one', 'two']) {
    for (const name of ['a', 'b']) await test.store.create(testContext(namespace), { metadata: { name } }, { dryRun: false })
  }
})
afterAll(() => test[Symbol.asyncDispose]())

const request: ListRequest = {
  predicate: { labels: selectEverything(), fields: selectEveryField() },
  resourceVersion: '',
  resourceVersionMatch: undefined,
  limit: 0,
  continue: '',
}
const list = async (namespace: string, fields = '', overrides: Partial<ListRequest> = {}): Promise<string[]> => {
  const predicate = { labels: selectEverything(), fields: parseFieldSelector(fields) }
  const objectList = await test.store.list(testContext(namespace), { ...request, predicate, ...overrides })
  return Array.from(objectList.items, (item) => `${item.field('metadata.namespace')}/${item.field('metadata.name')}`)
}

it('lists one namespace or all namespaces', async () => {
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

const watchRequest: WatchRequest = {
  predicate: { labels: selectEverything(), fields: selectEveryField() },
  resourceVersion: '1',
  resourceVersionMatch: undefined,
  allowBookmarks: false,
  sendInitialEvents: undefined,
  deadline: Number.POSITIVE_INFINITY,
}

async function* createBreakingEvents<T extends KubeObject>(): AsyncGenerator<ObjectEvents<T>> {
  yield []
  throw new StorageError({ code: 'ResourceVersionTooOld', key: '/widgets/', message: 'compacted' })
}

it('a watch throws API errors at its start and later, from its iterator and from forEach', async () => {
  let isReady = false
  const decorateStorage: StorageDecorator = <T extends KubeObject>(of: Parameters<typeof createUndecoratedStorage<T>>[0]): Storage<T> => ({
    ...createUndecoratedStorage(of),
    async watch() {
      if (!isReady) throw new StorageError({ code: 'NotReady', key: '', message: 'filling' })
      return new IteratedWatch(createBreakingEvents<T>())
    },
  })
  await using under = openTestStore(widgets, { decorator: decorateStorage })
  const open = (): Promise<ObjectWatch> => under.store.watch(testContext('one'), watchRequest, new AbortController().signal)
  await expect(open()).rejects.toMatchObject({ code: 429, message: 'filling' })

  isReady = true
  const expired = { code: 410, reason: 'Expired', message: 'compacted' }
  const batches: number[] = []
  const pushed = await open()
  await expect(pushed.forEach((batch) => void batches.push(batch.length))).rejects.toMatchObject(expired)
  const pulled = await open()
  const pull = async (): Promise<void> => {
    for await (const batch of pulled) batches.push(batch.length)
  }
  await expect(pull()).rejects.toMatchObject(expired)
  expect(batches).toEqual([0, 0])
})
