import { expect } from 'vitest'
import { listNames } from './list-names.ts'
import { ObjectWatchReader, type SeenEvent } from './object-watch-reader.ts'
import type { DeclareStorageTest, StorageTest } from './storage-suite.ts'
import { createPredicate, type TestObjectOptions } from './test-object.ts'

/** The objects that the tests create, in key order. */
const objects: readonly (readonly [namespace: string, name: string, options: TestObjectOptions])[] = [
  ['one', 'a', { nodeName: 'n1', labels: { app: 'x' } }],
  ['one', 'b', { nodeName: 'n2', labels: { app: 'y' } }],
  ['one', 'c', { nodeName: 'n1' }],
  ['onetwo', 'a', { nodeName: 'n1', labels: { app: 'x' } }],
  ['two', 'a', { nodeName: 'n2', labels: { app: 'x' } }],
  ['two', 'd', { nodeName: 'n1', labels: { app: 'y' } }],
]

interface Scope {
  /** The listed or watched path below the resource's prefix: "", "namespace/", or "namespace/name" for one object. */
  readonly below: string
  readonly fields?: string
  readonly labels?: string
  /** The "namespace/name" of each object that the list or watch must return. */
  readonly sees: readonly string[]
}

/** Every kind of key and selector that a request can have, alone and combined. */
const scopes: readonly Scope[] = [
  { below: '', sees: objects.map(([namespace, name]) => `${namespace}/${name}`) },
  { below: '', fields: 'metadata.name=a', sees: ['one/a', 'onetwo/a', 'two/a'] },
  { below: '', fields: 'metadata.namespace=two', sees: ['two/a', 'two/d'] },
  { below: '', fields: 'metadata.namespace=one,metadata.name=b', sees: ['one/b'] },
  { below: '', fields: 'metadata.namespace=one,metadata.name=d', sees: [] },
  { below: '', fields: 'spec.nodeName=n1', sees: ['one/a', 'one/c', 'onetwo/a', 'two/d'] },
  { below: '', fields: 'metadata.name=a,spec.nodeName=n2', sees: ['two/a'] },
  { below: '', fields: 'spec.nodeName=n1', labels: 'app=y', sees: ['two/d'] },
  { below: 'one/', sees: ['one/a', 'one/b', 'one/c'] },
  { below: 'one/', fields: 'metadata.name=a', sees: ['one/a'] },
  { below: 'one/', fields: 'metadata.name=d', sees: [] },
  { below: 'one/', fields: 'metadata.namespace=one,metadata.name=a', sees: ['one/a'] },
  { below: 'one/', fields: 'metadata.namespace=two', sees: [] },
  { below: 'one/', fields: 'spec.nodeName=n1', sees: ['one/a', 'one/c'] },
  { below: 'one/', fields: 'metadata.name=b,spec.nodeName=n1', sees: [] },
  { below: 'one/', labels: '!app', sees: ['one/c'] },
  { below: 'none/', sees: [] },
  { below: 'one/a', sees: ['one/a'] },
  { below: 'one/a', fields: 'metadata.name=a', sees: ['one/a'] },
  { below: 'one/a', fields: 'metadata.name=b', sees: [] },
  { below: 'one/a', fields: 'spec.nodeName=n2', sees: [] },
  { below: 'one/a', labels: 'app=x', fields: 'spec.nodeName=n1', sees: ['one/a'] },
  { below: 'one/d', sees: [] },
]

const createListOptions = ({ below, ...selectors }: Scope) => ({
  recursive: below === '' || below.endsWith('/'),
  predicate: createPredicate({
    ...(selectors.labels !== undefined && { labels: selectors.labels }),
    ...(selectors.fields !== undefined && { fields: selectors.fields }),
  }),
})
const formatTitle = ({ below, fields, labels }: Scope): string => JSON.stringify({ below, fields, labels })

async function createAll({ create }: StorageTest): Promise<SeenEvent[]> {
  const created: SeenEvent[] = []
  for (const [namespace, name, options] of objects) {
    const { revision } = await create(namespace, name, options)
    created.push({ type: 'ADDED', name: `${namespace}/${name}`, revision })
  }
  return created
}

export function defineScopeTests(test: DeclareStorageTest): void {
  test('list: returns the right objects for every combination of key and selector', async (under) => {
    const { storage, prefix } = under
    const newest = (await createAll(under)).at(-1)!.revision
    for (const scope of scopes) {
      for (const resourceVersion of ['', String(newest)]) {
        const list = await storage.list(prefix + scope.below, { ...createListOptions(scope), resourceVersion })
        expect(listNames(list), formatTitle(scope)).toEqual(scope.sees)
        expect([list.continue, list.remainingItemCount]).toEqual(['', undefined])
      }
      if (!createListOptions(scope).recursive) continue
      const paged: string[] = []
      let startRevision = ''
      do {
        const page = await storage.list(prefix + scope.below, { ...createListOptions(scope), limit: 1, continue: startRevision })
        paged.push(...listNames(page))
        startRevision = page.continue
      } while (startRevision !== '')
      expect(paged, formatTitle(scope)).toEqual(scope.sees)
    }
  })

  test('watch: sends the right initial events for every combination of key and selector', async (under) => {
    const { storage, prefix } = under
    const created = await createAll(under)
    await storage.list(prefix)
    for (const scope of scopes) {
      const options = { ...createListOptions(scope), sendInitialEvents: true, allowBookmarks: true }
      const reader = await ObjectWatchReader.open(storage, prefix + scope.below, options)
      const events = await reader.events(scope.sees.length + 1)
      const revisions = scope.sees.map((name) => created.find((each) => each.name === name)!.revision)
      expect(
        events.slice(0, -1).map((event) => [event.type, event.revision]),
        formatTitle(scope),
      ).toEqual(revisions.map((revision) => ['ADDED', revision]))
      expect(events.at(-1), formatTitle(scope)).toMatchObject({ type: 'BOOKMARK', initialEventsEnd: true })
      await reader.stop()
    }
  })

  test('watch: sends the right changes for every combination of key and selector', async (under) => {
    const { storage, prefix, createKey, create } = under
    const start = await create('zero', 'start')
    const readers: ObjectWatchReader[] = []
    for (const scope of scopes) {
      const options = { ...createListOptions(scope), resourceVersion: String(start.revision) }
      readers.push(await ObjectWatchReader.open(storage, prefix + scope.below, options))
    }
    const happened = await createAll(under)
    for (const [namespace, name] of objects) {
      const { revision } = await storage.delete(createKey(namespace, name))
      happened.push({ type: 'DELETED', name: `${namespace}/${name}`, revision })
    }
    for (const [i, scope] of scopes.entries()) {
      const expected = happened.filter(({ name }) => scope.sees.includes(name))
      const events = await readers[i]!.objects(expected.length)
      expect(
        events.map((event) => [event.type, event.revision]),
        formatTitle(scope),
      ).toEqual(expected.map((event) => [event.type, event.revision]))
      await readers[i]!.stop()
    }
  })
}
