import { fourfold, measureProcessorTime } from '@keelson/apimachinery/testing'
import { describe, expect, it } from 'vitest'
import { checkHistory, type Rule, type WatchItem } from './index.ts'
import { simulate, wholeRange, type SimulatedHistory } from './simulate.fixture.ts'

const watches = [
  { name: 'all', range: wholeRange },
  { name: 'some', range: { start: '/k3', end: '/k6' }, resumeEvery: 40 },
  { name: 'one', range: { start: '/k1', end: undefined } },
]

describe('checkHistory', () => {
  it.each(Array.from({ length: 25 }, (_, seed) => seed))('accepts a random valid history (seed %i)', (seed) => {
    const result = checkHistory(simulate({ calls: 600, keys: 8, clients: 6, seed, watches }))
    expect(result.violations).toEqual([])
    expect(result.operations).toBe(600)
  })

  it('checks 5,000 operations and 35,000 events in less than quadratic time', async () => {
    const many = Array.from({ length: 9 }, (_, i) => ({ name: `w${i}`, range: wholeRange, resumeEvery: 500 * (i + 1) }))
    const [short, long] = [1_250, 5_000].map((calls) => simulate({ calls, keys: 40, clients: 16, seed: 7, watches: many }))
    const result = checkHistory(long!)
    expect(result.violations).toEqual([])
    expect(result.events).toBeGreaterThan(35_000)
    const few = await measureProcessorTime(() => checkHistory(short!))
    expect(await measureProcessorTime(() => checkHistory(long!))).toBeLessThan(fourfold * few)
  })
})

/** Returns a history whose calls do not overlap, so that each planted fault violates one rule. */
function simulateSequentially(): SimulatedHistory {
  const put = (key: string, tag: string): object => ({ type: 'put', key, tag })
  const createSeen = (key: string, tag: string, createRevision: number, modRevision: number): object => ({
    key,
    tag,
    createRevision,
    modRevision,
  })
  const history = {
    start: 1,
    restarts: [],
    calls: [
      commit(0, [put('/a', 'a1')], 2),
      commit(1, [put('/b', 'b1'), put('/a', 'a2')], 3),
      {
        call: { type: 'get', key: '/a' },
        invoked: 20,
        returned: 25,
        outcome: { type: 'entry', revision: 3, entry: createSeen('/a', 'a2', 2, 3) },
      },
      commit(3, [put('/a', 'a3')], 4, [{ key: '/a', modRevision: 3 }]),
      commit(4, [{ type: 'delete', key: '/b' }], 5),
      commit(5, [put('/c', 'c1')], 6),
      {
        call: { type: 'list', range: wholeRange },
        invoked: 60,
        returned: 65,
        outcome: createPage(6, [createSeen('/a', 'a3', 2, 4), createSeen('/c', 'c1', 6, 6)]),
      },
    ],
    watches: [
      {
        name: 'all',
        range: wholeRange,
        mustReach: 6,
        segments: [
          {
            after: 1,
            items: [
              createChanges(2, { type: 'put', entry: createSeen('/a', 'a1', 2, 2), previous: undefined }),
              createChanges(
                3,
                { type: 'put', entry: createSeen('/b', 'b1', 3, 3), previous: undefined },
                { type: 'put', entry: createSeen('/a', 'a2', 2, 3), previous: createSeen('/a', 'a1', 2, 2) },
              ),
              { type: 'progress', time: 31, revision: 3 },
            ],
          },
          {
            after: 3,
            items: [
              createChanges(4, { type: 'put', entry: createSeen('/a', 'a3', 2, 4), previous: createSeen('/a', 'a2', 2, 3) }),
              createChanges(5, { type: 'delete', key: '/b', revision: 5, previous: createSeen('/b', 'b1', 3, 3) }),
              createChanges(6, { type: 'put', entry: createSeen('/c', 'c1', 6, 6), previous: undefined }),
            ],
          },
        ],
      },
    ],
  }
  return structuredClone(history) as unknown as SimulatedHistory

  function commit(at: number, operations: object[], revision: number, compare: object[] = []): object {
    return {
      call: { type: 'commit', compare, operations },
      invoked: at * 10,
      returned: at * 10 + 5,
      outcome: { type: 'committed', revision },
    }
  }
  function createPage(revision: number, entries: object[]): object {
    return { type: 'page', revision, entries, count: entries.length, more: false }
  }
  function createChanges(revision: number, ...changes: object[]): object {
    return { type: 'changes', time: revision * 10 - 5, revision, changes: changes }
  }
}

type Loose = { [key: string]: Loose } & Loose[] & { splice: (...a: unknown[]) => Loose[]; push: (...a: unknown[]) => void }
const listRules = (damage: (history: Loose) => void): Rule[] => {
  const history = simulateSequentially()
  damage(history as unknown as Loose)
  return [...checkHistory(history).counts.keys()]
}
const call = (history: Loose, i: number): Loose => history['calls']![i]!
const findItems = (history: Loose, segment: number): Loose => history['watches']![0]!['segments']![segment]!['items']!
const set = (target: unknown, values: object): void => void Object.assign(target as object, values)

describe('the checker', () => {
  it('accepts a sequential history', () => {
    expect(listRules(() => {})).toEqual([])
  })

  it('accepts an unacknowledged write that no client saw', () => {
    const createUnanswered = (operation: object): object => ({
      call: { type: 'commit', compare: [], operations: [operation] },
      invoked: 70,
      returned: 80,
      outcome: { type: 'unknown' },
    })
    const addReadAfter = (h: Loose, revision: number, entries: object[]): void => {
      h['restarts']!.push({ time: 90, revision })
      h['calls']!.push({
        call: { type: 'list', range: wholeRange },
        invoked: 91,
        returned: 92,
        outcome: { type: 'page', revision, entries, count: entries.length, more: false },
      })
    }
    const a = { key: '/a', tag: 'a3', createRevision: 2, modRevision: 4 }
    const c = { key: '/c', tag: 'c1', createRevision: 6, modRevision: 6 }
    // The first of two puts created the key. Clients saw only the second put.
    const addUnansweredCreate = (h: Loose): void => {
      h['calls']!.push(createUnanswered({ type: 'put', key: '/d', tag: 'd1' }), createUnanswered({ type: 'put', key: '/d', tag: 'd2' }))
      addReadAfter(h, 8, [a, c, { key: '/d', tag: 'd2', createRevision: 7, modRevision: 8 }])
    }
    expect(listRules(addUnansweredCreate)).toEqual([])
    // The second put was acknowledged and a client saw the third put. A create revision before these puts is wrong.
    const createOverwrite =
      (createRevision: number) =>
      (h: Loose): void => {
        const put = (tag: string): object => ({ type: 'put', key: '/d', tag })
        const answered = { outcome: { type: 'committed', revision: 8 }, returned: 75 }
        h['calls']!.push(createUnanswered(put('d1')), { ...createUnanswered(put('d2')), ...answered }, createUnanswered(put('d3')))
        addReadAfter(h, 9, [a, c, { key: '/d', tag: 'd3', createRevision, modRevision: 9 }])
      }
    expect(listRules(createOverwrite(7))).toEqual([])
    expect(listRules(createOverwrite(8))).toEqual([])
    expect(listRules(createOverwrite(6))).toEqual(['list-is-a-snapshot'])
    expect(listRules(createOverwrite(9))).toEqual(['list-is-a-snapshot'])
    // A delete took effect. The next delete of the key finds nothing and returns the revision of a delete of another key.
    const addUnansweredDelete = (h: Loose): void => {
      h['calls']!.push(createUnanswered({ type: 'delete', key: '/c' }))
      addReadAfter(h, 7, [a])
      const remove = (key: string, invoked: number): object => ({
        call: { type: 'commit', compare: [], operations: [{ type: 'delete', key }] },
        invoked,
        returned: invoked + 1,
        outcome: { type: 'committed', revision: 8 },
      })
      h['calls']!.push(remove('/a', 95), remove('/c', 97))
      const changes = [{ type: 'delete', key: '/a', revision: 8, previous: a }]
      const items = [{ type: 'changes', time: 96, revision: 8, changes }]
      h['watches']!.push({ name: 'later', range: wholeRange, segments: [{ after: 7, items }] })
      set(h['watches']![0], { mustReach: 6 })
    }
    expect(listRules(addUnansweredDelete)).toEqual([])
  })

  const planted: [string, Rule, (history: Loose) => void][] = [
    [
      'a stale read',
      'linearizable',
      (h) => set(call(h, 2)['outcome'], { entry: { key: '/a', tag: 'a1', createRevision: 2, modRevision: 2 } }),
    ],
    ['a read that misses a key', 'linearizable', (h) => set(call(h, 2)['outcome'], { entry: undefined })],
    [
      'a lost update (a compare that should have failed)',
      'linearizable',
      (h) => set(call(h, 3)['call'], { compare: [{ key: '/a', modRevision: 2 }] }),
    ],
    ['a create of an existing key', 'linearizable', (h) => set(call(h, 3)['call'], { compare: [{ key: '/a', modRevision: 0 }] })],
    [
      'a lost race without a conflict',
      'linearizable',
      (h) =>
        h['calls']!.push({
          call: { type: 'commit', compare: [{ key: '/c', modRevision: 6 }], operations: [{ type: 'put', key: '/c', tag: 'c2' }] },
          invoked: 70,
          returned: 75,
          outcome: { type: 'lost', revision: 6, current: [{ key: '/c', tag: 'c1', createRevision: 6, modRevision: 6 }] },
        }),
    ],
    ['a revision that decreases between two responses', 'revisions-never-decrease', (h) => set(call(h, 2)['outcome'], { revision: 2 })],
    ['a revision assigned twice', 'one-write-per-revision', (h) => set(call(h, 5)['outcome'], { revision: 4 })],
    ['a write acknowledged before its flush, and lost in the crash', 'acknowledged-writes-survive', answerEarly],
    [
      'an event shown before its flush, and lost in the crash',
      'acknowledged-writes-survive',
      (h) => {
        h['restarts']!.push({ time: 58, revision: 5 })
        set(call(h, 5), { outcome: { type: 'unknown' } })
        set(call(h, 6)['outcome'], { revision: 5, entries: [{ key: '/a', tag: 'a3', createRevision: 2, modRevision: 4 }], count: 1 })
      },
    ],
    [
      'a missing acknowledged write although its revision exists',
      'acknowledged-writes-survive',
      (h) => {
        h['restarts']!.push({ time: 58, revision: 6 })
        set(call(h, 6)['outcome'], { entries: [{ key: '/c', tag: 'c1', createRevision: 6, modRevision: 6 }], count: 1 })
      },
    ],
    ['a visible failed write', 'failed-writes-leave-nothing', (h) => set(call(h, 5), { outcome: { type: 'failed' } })],
    ['a value that no client wrote', 'nothing-from-nowhere', (h) => set(findItems(h, 1)[2]!['changes']![0]!['entry'], { tag: 'corrupt' })],
    [
      'a delete that no client requested',
      'nothing-from-nowhere',
      (h) =>
        findItems(h, 1).push({
          type: 'changes',
          time: 70,
          revision: 7,
          changes: [{ type: 'delete', key: '/c', revision: 7, previous: { key: '/c', tag: 'c1', createRevision: 6, modRevision: 6 } }],
        }),
    ],
    ['a list without a key', 'list-is-a-snapshot', (h) => set(call(h, 6)['outcome'], { entries: [], count: 2 })],
    [
      'a list with the states of two revisions',
      'list-is-a-snapshot',
      (h) => set((call(h, 6)['outcome']!['entries'] as unknown as Loose[])[0], { tag: 'a2', modRevision: 3 }),
    ],
    ['two events in the wrong order', 'ordered', (h) => void findItems(h, 1).push(...findItems(h, 1).splice(1, 1))],
    ['a watch that goes back in time', 'ordered', (h) => void findItems(h, 1).splice(0, 0, findItems(h, 1).splice(2, 1)[0])],
    ['a duplicate event', 'unique', (h) => void findItems(h, 1).splice(1, 0, structuredClone(findItems(h, 1)[0]))],
    [
      'a revision split over two messages',
      'atomic',
      (h) => {
        const first = findItems(h, 0)[1]!
        const rest = { ...first, changes: first['changes']!.splice(1, 1) }
        findItems(h, 0).splice(2, 0, rest)
      },
    ],
    ['a revision with a missing change', 'atomic', (h) => void findItems(h, 0)[1]!['changes']!.splice(1, 1)],
    ['a lost event', 'reliable', (h) => void findItems(h, 1).splice(1, 1)],
    ['a watch that stops before the end', 'reliable', (h) => void findItems(h, 1).splice(2, 1)],
    ['an event lost where the watch resumed', 'resumable', (h) => void findItems(h, 1).splice(0, 1)],
    [
      'an event older than the start of a resumed watch',
      'resumable',
      (h) => void findItems(h, 1).splice(0, 0, structuredClone(findItems(h, 0)[1])),
    ],
    [
      'a bookmark ahead of its events',
      'bookmarkable',
      (h) => void findItems(h, 1).splice(0, 0, { type: 'progress', time: 32, revision: 5 }),
    ],
    ['a bookmark that decreases', 'bookmarkable', (h) => findItems(h, 0).push({ type: 'progress', time: 32, revision: 2 })],
    ['an event of a key outside the range', 'filtered', (h) => set(h['watches']![0], { range: { start: '/a', end: '/c' } })],
    ['a missing previous value', 'previous-value', (h) => set(findItems(h, 1)[0]!['changes']![0], { previous: undefined })],
    [
      'an older previous value',
      'previous-value',
      (h) => set(findItems(h, 1)[0]!['changes']![0]!['previous'], { tag: 'a1', modRevision: 2 }),
    ],
    ['a create that looks like an update', 'create-flag', (h) => set(findItems(h, 1)[2]!['changes']![0]!['entry'], { createRevision: 2 })],
    ['an update that looks like a create', 'create-flag', (h) => set(findItems(h, 1)[0]!['changes']![0]!['entry'], { createRevision: 4 })],
    ['an event with the value of another write', 'watch-value', (h) => set(findItems(h, 1)[0]!['changes']![0]!['entry'], { tag: 'c1' })],
  ]
  it.each(planted)('reports the violated rule for %s', (_, rule, damage) => {
    expect(listRules(damage)).toContain(rule)
  })

  it('reports only one rule for a fault of a watch that violates only this rule', () => {
    for (const [what, rule, damage] of planted.slice(-18)) {
      if (/outside|another write|that no client|goes back in time|wrong order/.test(what)) continue
      expect([what, listRules(damage)]).toEqual([what, [rule]])
    }
  })

  it('detects a planted fault in a long history with concurrent calls', () => {
    for (let seed = 0; seed < 10; seed++) {
      const history = simulate({ calls: 3000, keys: 8, clients: 8, seed, watches })
      const segments = history.watches[0]!.segments as unknown as { items: WatchItem[] }[]
      const { items: watchItems } = segments[0]!
      segments[0]!.items = watchItems.toSpliced(
        watchItems.findIndex((item, i) => i > 500 && item.type === 'changes'),
        1,
      )
      expect(checkHistory(history).violations.length).toBeGreaterThan(0)
      const stale = simulate({ calls: 3000, keys: 8, clients: 8, seed, watches })
      const reads = stale.calls.filter(
        (c) => c.call.type === 'get' && c.call.key === '/k1' && c.outcome.type === 'entry' && c.outcome.entry,
      )
      const [early, late] = [reads[3]!, reads.at(-2)!]
      Object.assign(late, { outcome: early.outcome })
      expect([...checkHistory(stale).counts.keys()]).toContain('linearizable')
    }
  })
})

function answerEarly(history: Loose): void {
  history['restarts']!.push({ time: 58, revision: 5 })
  set(call(history, 6)['outcome'], { revision: 5, entries: [{ key: '/a', tag: 'a3', createRevision: 2, modRevision: 4 }], count: 1 })
  findItems(history, 1).splice(2, 1)
  set(history['watches']![0], { mustReach: 5 })
}
