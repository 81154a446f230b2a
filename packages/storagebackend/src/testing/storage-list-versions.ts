import { expect } from 'vitest'
import type { ListObjectsOptions } from '../storage.ts'
import { listNames } from './list-names.ts'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest, StorageTest } from './storage-suite.ts'
import { createPredicate } from './test-object.ts'

const namespaces = ['one', 'two', 'zwei'] as const
const selectors = [
  { title: 'all', selects: (_name: string) => true },
  { title: 'by label', predicate: createPredicate({ labels: 'app=a' }), selects: (name: string) => name.endsWith('/a') },
  { title: 'by field', predicate: createPredicate({ fields: 'spec.nodeName=b' }), selects: (name: string) => name.endsWith('/b') },
  { title: 'nothing', predicate: createPredicate({ labels: 'none=such' }), selects: () => false },
]

interface State {
  readonly revision: number
  /** The "namespace/name" of each object in the state, sorted by key. */
  readonly names: readonly string[]
}

/** Creates and deletes objects in three namespaces, and returns the state after each write. */
async function recordHistory({ storage, createKey, create }: StorageTest): Promise<State[]> {
  const recordedStates: State[] = []
  const present = new Set<string>()
  const recordState = (revision: number): void => void recordedStates.push({ revision, names: [...present].sort() })
  for (const name of ['a', 'b']) {
    for (const namespace of namespaces) {
      present.add(`${namespace}/${name}`)
      recordState((await create(namespace, name, { labels: { app: name }, nodeName: name })).revision)
    }
  }
  present.delete('two/a')
  recordState((await storage.delete(createKey('two', 'a'))).revision)
  present.add('two/a')
  recordState((await create('two', 'a', { labels: { app: 'a' }, nodeName: 'a' })).revision)
  return recordedStates
}

const encodeToken = (rv: number, start: string): string =>
  Buffer.from(`{"v":"meta.k8s.io/v1","rv":${rv},"start":${JSON.stringify(`${start}\0`).replace('\\u0000', '\\u0000')}}`).toString(
    'base64url',
  )

/** Returns the page that a list of `state` must return, with its continue token. */
function computeExpectedPage(state: State, below: string, from: string, limit: number, selector: (typeof selectors)[number]) {
  const range = state.names.filter((name) => name.startsWith(below) && name > from)
  const selected = range.filter(selector.selects)
  const page = limit > 0 ? selected.slice(0, limit) : selected
  const remaining = page.length === limit ? range.slice(range.indexOf(page.at(-1)!) + 1) : []
  const hasMore = limit > 0 && remaining.length > 0
  return {
    names: page,
    continue: hasMore ? encodeToken(state.revision, page.at(-1)!.slice(below.length)) : '',
    remaining: hasMore && selector.predicate === undefined ? remaining.length : undefined,
  }
}

export function defineListVersionTests(test: DeclareStorageTest): void {
  test('list: every combination of version and match, with limits, tokens and selectors, after a compaction', async (under) => {
    const { storage, prefix, compact } = under
    const recordedStates = await recordHistory(under)
    const newest = recordedStates.at(-1)!
    const oldestKept = recordedStates.at(-3)!
    await compact(oldestKept.revision)
    // Bring a cache up to date with a list.
    await storage.list(prefix)

    interface Case {
      readonly rv: string
      readonly match?: 'Exact' | 'NotOlderThan'
      readonly limits: readonly number[]
      readonly from?: string
      readonly continued?: number
      readonly gives: State | 'ResourceVersionTooOld' | 'ResourceVersionTooLarge'
    }
    const allLimits = [0, 1, 2, 10]
    const future = String(newest.revision + 1_000_000)
    const cases: Case[] = [
      { rv: '', limits: allLimits, gives: newest },
      // A cache ignores the limit of a list that accepts any state.
      { rv: '0', limits: [0, 10], gives: newest },
      { rv: '0', match: 'NotOlderThan', limits: [0, 10], gives: newest },
      ...[newest, oldestKept, recordedStates[0]!].flatMap((state): Case[] => [
        { rv: String(state.revision), match: 'NotOlderThan', limits: allLimits, gives: newest },
        { rv: String(state.revision), limits: [0], gives: newest },
        { rv: String(state.revision), limits: [1, 2, 10], gives: state === recordedStates[0] ? 'ResourceVersionTooOld' : state },
        {
          rv: String(state.revision),
          match: 'Exact',
          limits: allLimits,
          gives: state === recordedStates[0] ? 'ResourceVersionTooOld' : state,
        },
      ]),
      { rv: future, limits: [0, 1], gives: 'ResourceVersionTooLarge' },
      { rv: future, match: 'Exact', limits: [0, 1], gives: 'ResourceVersionTooLarge' },
      { rv: future, match: 'NotOlderThan', limits: [0, 1], gives: 'ResourceVersionTooLarge' },
      ...['', '0'].flatMap((rv): Case[] => [
        { rv, limits: rv === '' ? allLimits : [0], from: 'one/b', continued: oldestKept.revision, gives: oldestKept },
        { rv, limits: rv === '' ? allLimits : [0], from: 'one/b', continued: -1, gives: newest },
        { rv, limits: [0, 1], from: 'one/b', continued: recordedStates[0]!.revision, gives: 'ResourceVersionTooOld' },
      ]),
    ]
    for (const { rv, match, limits, from = '', continued, gives } of cases) {
      for (const limit of limits) {
        // A cache waits for a future version before it fails.
        for (const selector of gives === 'ResourceVersionTooLarge' ? selectors.slice(0, 1) : selectors) {
          const options: ListObjectsOptions = {
            resourceVersion: rv,
            resourceVersionMatch: match,
            limit,
            ...(selector.predicate && { predicate: selector.predicate }),
            ...(continued !== undefined && { continue: encodeToken(continued, from) }),
          }
          for (const below of continued === undefined ? ['', 'two/'] : ['']) {
            const title = JSON.stringify({ rv, match, limit, selector: selector.title, below, continued, newest: newest.revision })
            const list = storage.list(prefix + below, options)
            if (typeof gives === 'string') {
              expect(getErrorCode(await catchFailure(list)), title).toBe(gives)
              continue
            }
            const result = await list
            // Another test may have written the newest revision.
            if (gives === newest) expect(result.revision, title).toBeGreaterThanOrEqual(newest.revision)
            else expect(result.revision, title).toBe(gives.revision)
            const page = computeExpectedPage({ ...gives, revision: result.revision }, below, from, limit, selector)
            expect({ names: listNames(result), continue: result.continue, remaining: result.remainingItemCount }, title).toEqual(page)
          }
        }
      }
    }
  })

  test('list: returns the newest state without a version or with an inconsistent token, also after writes of other resources', async (under) => {
    const { storage, prefix, create, put } = under
    await create('ns', 'a')
    const otherKey = `${prefix.slice(0, -1)}-elsewhere/x`
    let last = 0
    for (let i = 0; i < 3; i++) {
      await put(otherKey, Buffer.from(String(i)))
      const now = await storage.getCurrentRevision()
      expect(now).toBeGreaterThan(last)
      last = now
      for (const options of [{}, { limit: 1 }, { continue: encodeToken(-1, '0/x') }, { continue: encodeToken(-1, '0/x'), limit: 1 }]) {
        const list = await storage.list(prefix, options)
        expect(list.revision).toBeGreaterThanOrEqual(now)
        expect(listNames(list)).toEqual(['ns/a'])
      }
      // "0" accepts an old state, but not one that is older than an earlier response.
      expect((await storage.list(prefix, { resourceVersion: '0' })).revision).toBeGreaterThanOrEqual(now)
    }
  })

  test('paging: one read per page, and larger reads with a selector', async ({ storage, prefix, create, readMetrics }) => {
    await Promise.all(
      Array.from({ length: 1000 }, (_, i) => create('ns', String(i).padStart(3, '0'), { nodeName: i === 999 ? 'rare' : 'n' })),
    )
    // Bring a cache up to date with a list.
    const { revision } = await storage.list(prefix)
    const reads = async (): Promise<number> =>
      (await readMetrics()).get('etcd_requests_total{group="suite.keelson.dev",operation="list",resource="tests"}') ?? 0
    const listReads = async (read: () => Promise<unknown>): Promise<number> => {
      const oldReads = await reads()
      await read()
      return (await reads()) - oldReads
    }
    const listInPages = async (limit: number): Promise<void> => {
      let itemCount = 0
      for (let token = ''; ;) {
        const page = await storage.list(prefix, { limit, continue: token })
        expect(page.revision).toBeGreaterThanOrEqual(revision)
        itemCount += listNames(page).length
        token = page.continue
        if (token === '') break
        expect(page.remainingItemCount).toBe(1000 - itemCount)
      }
      expect(itemCount).toBe(1000)
    }
    expect(await listReads(() => listInPages(400))).toBeLessThanOrEqual(3)
    expect(await listReads(() => listInPages(250))).toBeLessThanOrEqual(4)
    const listRareObject = async (): Promise<void> => {
      const page = await storage.list(prefix, { limit: 1, predicate: createPredicate({ fields: 'spec.nodeName=rare' }) })
      expect([listNames(page), page.continue, page.remainingItemCount]).toEqual([['ns/999'], '', undefined])
    }
    // The reads fetch 1, 2, 4, … 512 entries.
    expect(await listReads(listRareObject)).toBeLessThanOrEqual(10)
  })
}
