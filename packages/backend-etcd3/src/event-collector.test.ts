import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry } from '@keelson/storagebackend'
import { EventCollector } from './event-collector.ts'
import type { WatchEvent } from './watch-response.ts'

interface Made {
  readonly revision: number
  readonly key: string
  readonly type?: 'PUT' | 'DELETE'
  readonly createRevision?: number
  readonly previous?: number
}

function createEvent({ revision, key, type = 'PUT', createRevision = revision, previous }: Made): WatchEvent {
  const createEntry = (at: number, created: number): Entry => ({
    key,
    value: Buffer.from(`${key}@${at}`),
    createRevision: created,
    modRevision: at,
    lease: 0,
  })
  return {
    isDelete: type === 'DELETE',
    entry: createEntry(revision, createRevision),
    previous: previous === undefined ? undefined : createEntry(previous, previous),
  }
}

describe('EventCollector', () => {
  it('returns each complete revision once, regardless of how etcd splits responses', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(sizes, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), fc.nat(30), (revisions, cuts, position) => {
        const events = revisions.flatMap((size, i) =>
          Array.from({ length: size }, (_, k) => createEvent({ revision: i + 1, key: `k${k}` })),
        )
        const collector = new EventCollector()
        const seen: number[] = []
        let at = position
        for (let start = 0, i = 0; start < events.length; i++) {
          const end = start + cuts[i % cuts.length]!
          const complete = collector.add(events.slice(start, end), end < events.length, at)
          start = end
          if (!complete) continue
          const changedRevisions = complete.changes.map((change) => (change.type === 'put' ? change.entry.modRevision : 0))
          for (const revision of new Set(changedRevisions))
            expect(changedRevisions.filter((each) => each === revision)).toHaveLength(revisions[revision - 1]!)
          expect(complete.revision).toBe(changedRevisions.at(-1))
          seen.push(...changedRevisions)
          at = complete.revision
        }
        expect(collector.isIncomplete).toBe(false)
        expect(seen).toEqual(revisions.flatMap((size, i) => (i + 1 > position ? Array.from({ length: size }, () => i + 1) : [])))
      }),
    )
  })

  it('discards partial revisions of a broken stream', () => {
    const collector = new EventCollector()
    const [first, second] = [createEvent({ revision: 5, key: 'a' }), createEvent({ revision: 5, key: 'b' })]
    expect(collector.add([first], true, 4)).toBeUndefined()
    collector.reset()
    expect(collector.add([first, second], false, 4)?.changes).toHaveLength(2)
  })

  it('distinguishes creations, changes and deletions', () => {
    const complete = new EventCollector().add(
      [
        createEvent({ revision: 2, key: 'a' }),
        createEvent({ revision: 3, key: 'a', createRevision: 2, previous: 2 }),
        createEvent({ revision: 4, key: 'a', type: 'DELETE', createRevision: 0, previous: 3 }),
      ],
      false,
      1,
    )
    expect(complete?.changes.map(({ type, previous }) => [type, previous?.modRevision])).toEqual([
      ['put', undefined],
      ['put', 2],
      ['delete', 3],
    ])
  })

  it.each([
    ['a change', createEvent({ revision: 9, key: 'a', createRevision: 2 })],
    ['a deletion', createEvent({ revision: 9, key: 'a', type: 'DELETE', createRevision: 0 })],
  ])('rejects %s with a compacted previous value', (_what, without) => {
    expect(() => new EventCollector().add([without], false, 8)).toThrow(expect.objectContaining({ name: 'CompactedError' }))
    expect(new EventCollector().add([without], false, 9)).toBeUndefined()
  })
})
