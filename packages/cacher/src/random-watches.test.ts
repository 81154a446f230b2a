import { selectEveryField, selectEverything, parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery'
import { isStorageError, newTooOldError } from '@keelson/storagebackend'
import type { ObjectEvent, Predicate, StoredObject } from '@keelson/storagebackend'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { settle } from '@keelson/apimachinery/testing'
import { createBreakable, formatEvents, formatPodKey, openFixture, prefix } from './cacher.fixture.ts'
import type { Pod } from './cacher.fixture.ts'

const predicates: (Predicate | undefined)[] = [
  undefined,
  { labels: parseLabelSelector('k=x'), fields: selectEveryField() },
  { labels: selectEverything(), fields: parseFieldSelector('spec.nodeName=n1') },
  { labels: parseLabelSelector('k!=x'), fields: parseFieldSelector('metadata.name=b') },
  { labels: selectEverything(), fields: parseFieldSelector('metadata.namespace=n2') },
]

const place = { namespace: fc.constantFrom('n1', 'n2'), name: fc.constantFrom('a', 'b', 'c') }
const write = fc.record({
  type: fc.constant('write' as const),
  ...place,
  label: fc.constantFrom('x', 'y', undefined),
  node: fc.constantFrom('n1', 'n2', undefined),
  remove: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
})
const watch = fc.record({
  type: fc.constant('watch' as const),
  key: fc.constantFrom(prefix, `${prefix}n1`, formatPodKey('n1', 'a')),
  predicate: fc.constantFrom(...predicates),
  /** The number of revisions between the start of the watch and the newest revision. */
  back: fc.nat(12),
  /** Whether the watch is read only at the end of the test. */
  lazy: fc.boolean(),
})
const pause = fc.record({ type: fc.constant('pause' as const) })

/** All changes since the start of the test. The expected events of a watch are computed from them. */
class Replay {
  readonly #changes: { revision: number; key: string; object: StoredObject<Pod> | undefined }[] = []

  add(revision: number, key: string, object: StoredObject<Pod> | undefined): void {
    this.#changes.push({ revision, key, object })
  }

  at(revision: number): string[] {
    const state = new Map<string, number>()
    for (const change of this.#changes) {
      if (change.revision > revision) break
      if (change.object === undefined) state.delete(change.key)
      else state.set(change.key, change.revision)
    }
    return [...state].map(([key, rev]) => `${key}@${rev}`).sort()
  }

  after(revision: number, key: string, predicate: Predicate | undefined): string[] {
    const state = new Map<string, StoredObject<Pod>>()
    const names: string[] = []
    const passes = (object: StoredObject<Pod> | undefined): boolean =>
      object !== undefined &&
      (predicate === undefined || (predicate.labels.matches(object.labels) && predicate.fields.matches((f) => object.field(f))))
    for (const change of this.#changes) {
      const wasSelected = passes(state.get(change.key))
      const now = passes(change.object)
      if (change.object === undefined) state.delete(change.key)
      else state.set(change.key, change.object)
      const isInRange = change.key === key || change.key.startsWith(key.endsWith('/') ? key : `${key}/`)
      if (change.revision <= revision || !isInRange || (!wasSelected && !now)) continue
      names.push(`${now ? (wasSelected ? 'MODIFIED' : 'ADDED') : 'DELETED'} ${change.key.slice(prefix.length)}@${change.revision}`)
    }
    return names
  }
}

test('every watch gets exactly the changes after its revision, and a list at a revision has the state after that revision', async () => {
  const steps = fc.array(fc.oneof({ weight: 6, arbitrary: write }, { weight: 2, arbitrary: watch }, { weight: 1, arbitrary: pause }), {
    minLength: 10,
    maxLength: 80,
  })
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 6 }), async (script, bufferedEvents) => {
      await using fixture = await openFixture({
        triggerField: 'spec.nodeName',
        watcherLimits: { bufferedEvents, batchBytes: 300, examined: 3 },
      })
      const replay = new Replay()
      const stop = new AbortController()
      const watches: {
        from: number
        key: string
        predicate: Predicate | undefined
        events: ObjectEvent<Pod>[]
        read: () => Promise<void>
      }[] = []
      let revision = 1
      for (const step of script) {
        if (step.type === 'pause') await settle(2)
        else if (step.type === 'write') {
          const key = formatPodKey(step.namespace, step.name)
          const exists = await fixture.store.get(key).catch(() => undefined)
          if (step.remove && exists === undefined) continue
          const options = {
            ...(step.label && { labels: { k: step.label } }),
            ...(step.node && { nodeName: step.node }),
            note: String(revision),
          }
          revision = step.remove ? await fixture.remove(step.namespace, step.name) : await fixture.put(step.namespace, step.name, options)
          replay.add(revision, key, step.remove ? undefined : await fixture.store.get(key))
        } else {
          const startRevision = Math.max(1, revision - step.back)
          const watch = await fixture.cacher.watch(step.key, {
            resourceVersion: String(startRevision),
            signal: stop.signal,
            recursive: !isObjectKey(step.key),
            ...(step.predicate && { predicate: step.predicate }),
          })
          const events: ObjectEvent<Pod>[] = []
          const read = async (): Promise<void> => {
            for await (const batch of watch) events.push(...batch)
          }
          const reading = step.lazy ? undefined : read()
          watches.push({ from: startRevision, key: step.key, predicate: step.predicate, events, read: () => reading ?? read() })
        }
      }
      await fixture.waitUntilCurrent()
      const readers = watches.map((w) => w.read())
      await settle(120)
      stop.abort()
      await Promise.all(readers)
      for (const w of watches) expect(formatEvents(w.events)).toEqual(replay.after(w.from, w.key, w.predicate))
      for (let at = 1; at <= revision; at++) {
        const list = await fixture.cacher.list(prefix, { resourceVersion: String(at), resourceVersionMatch: 'Exact' })
        expect(list.revision).toBe(at)
        expect([...list.items].map((o) => `${o.key}@${o.revision}`)).toEqual(replay.at(at))
      }
      const compared = await fixture.cacher.compareWithStore()
      expect(compared).toMatchObject({ equal: true, firstDifference: undefined })
    }),
    { numRuns: 40 },
  )
})

test('if the watch on the store fails at any moment, no event is lost or repeated', async () => {
  const broken = fc.record({ type: fc.constant('break' as const), expired: fc.boolean() })
  const steps = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: write },
      { weight: 2, arbitrary: watch },
      { weight: 2, arbitrary: pause },
      { weight: 1, arbitrary: broken },
    ),
    { minLength: 10, maxLength: 60 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const store = createBreakable()
      await using fixture = await openFixture({ wrap: store.wrap, watcherLimits: { bufferedEvents: 3 } })
      const replay = new Replay()
      const stop = new AbortController()
      const watches: {
        from: number
        key: string
        predicate: Predicate | undefined
        events: ObjectEvent<Pod>[]
        result: Promise<unknown>
      }[] = []
      let revision = 1
      for (const step of script) {
        if (step.type === 'pause') await fixture.clock.pass(700)
        else if (step.type === 'break') store.fail(step.expired ? newTooOldError('', 'gone') : new Error('connection lost'))
        else if (step.type === 'write') {
          const key = formatPodKey(step.namespace, step.name)
          const exists = await fixture.store.get(key).catch(() => undefined)
          if (step.remove && exists === undefined) continue
          revision = step.remove
            ? await fixture.remove(step.namespace, step.name)
            : await fixture.put(step.namespace, step.name, { ...(step.label && { labels: { k: step.label } }), note: String(revision) })
          replay.add(revision, key, step.remove ? undefined : await fixture.store.get(key))
        } else {
          const startRevision = Math.max(1, revision - step.back)
          const events: ObjectEvent<Pod>[] = []
          const { predicate } = step
          const recursive = !isObjectKey(step.key)
          const run = async (): Promise<void> => {
            const options = { resourceVersion: String(startRevision), signal: stop.signal, recursive, ...(predicate && { predicate }) }
            for await (const batch of await fixture.cacher.watch(step.key, options)) events.push(...batch)
          }
          const result = run().then(
            () => undefined,
            (error: unknown) => error,
          )
          watches.push({ from: startRevision, key: step.key, predicate, events, result })
        }
      }
      await fixture.clock.pass(10_000)
      await fixture.waitUntilCurrent()
      await settle(20)
      stop.abort()
      for (const { from, key, predicate, events, result } of watches) {
        const error = await result
        const expected = replay.after(from, key, predicate)
        if (error === undefined) expect(formatEvents(events)).toEqual(expected)
        else {
          expect(isStorageError(error, 'ResourceVersionTooOld')).toBe(true)
          expect(formatEvents(events)).toEqual(expected.slice(0, events.length))
        }
      }
      const compared = await fixture.cacher.compareWithStore()
      expect(compared).toMatchObject({ equal: true, revision })
    }),
    { numRuns: 60 },
  )
})

function isObjectKey(key: string): boolean {
  return key.slice(prefix.length).includes('/')
}
