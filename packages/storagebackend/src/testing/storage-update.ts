import { expect } from 'vitest'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { ObjectWatchReader } from './object-watch-reader.ts'
import { testObject, type TestObject } from './test-object.ts'

const setText =
  (text: string) =>
  (current: TestObject | undefined): { object: TestObject } => ({ object: { ...current!, spec: { text } } })

export function defineUpdateTests(test: DeclareStorageTest): void {
  test('update: changes the object and its version', async ({ storage, createKey, create }) => {
    const created = await create('ns', 'a')
    const updated = await storage.guaranteedUpdate(createKey('ns', 'a'), (current, stored) => {
      expect(current!.metadata.resourceVersion).toBe(String(created.revision))
      expect(stored!.revision).toBe(created.revision)
      return setText('new')(current)
    })
    expect(updated.revision).toBeGreaterThan(created.revision)
    expect(updated.object().spec!.text).toBe('new')
    expect((await storage.get(createKey('ns', 'a'))).revision).toBe(updated.revision)
  })

  test('update: sharesCurrent passes the object that all readers share', async ({ storage, createKey, create }) => {
    await create('ns', 'a')
    const copied = await storage.guaranteedUpdate(createKey('ns', 'a'), (current, stored) => {
      expect(current).toEqual(stored!.object())
      expect(current).not.toBe(stored!.object())
      return setText('new')(current)
    })
    const shared = await storage.guaranteedUpdate(
      createKey('ns', 'a'),
      (current, stored) => {
        expect(current).toBe(stored!.object())
        return setText('newer')(current)
      },
      { sharesCurrent: true },
    )
    expect(shared.revision).toBeGreaterThan(copied.revision)
    expect(shared.object().spec!.text).toBe('newer')
  })

  test('update: fails if the object is absent, or creates it with ignoreNotFound', async ({ storage, createKey }) => {
    const object = testObject('ns', 'a')
    expect(getErrorCode(await catchFailure(storage.guaranteedUpdate(createKey('ns', 'a'), () => ({ object }))))).toBe('KeyNotFound')
    let currentObject: unknown = 'not called'
    const updated = await storage.guaranteedUpdate(
      createKey('ns', 'a'),
      (current, stored) => {
        currentObject = current ?? stored
        return { object }
      },
      { ignoreNotFound: true },
    )
    expect(currentObject).toBeUndefined()
    expect((await storage.get(createKey('ns', 'a'))).revision).toBe(updated.revision)
  })

  test('update: checks preconditions, with the error text of kube-apiserver', async ({ storage, createKey, create }) => {
    const created = await create('ns', 'a', { uid: 'A' })
    const error = await catchFailure(storage.guaranteedUpdate(createKey('ns', 'a'), setText('x'), { preconditions: { uid: 'B' } }))
    expect(getErrorCode(error)).toBe('InvalidObject')
    expect(String(error)).toContain('Precondition failed: UID in precondition: B, UID in object meta: A')
    const preconditions = { uid: 'A', resourceVersion: String(created.revision) }
    await storage.guaranteedUpdate(createKey('ns', 'a'), setText('x'), { preconditions })
    const stale = await catchFailure(storage.guaranteedUpdate(createKey('ns', 'a'), setText('y'), { preconditions }))
    expect(String(stale)).toContain(
      `Precondition failed: ResourceVersion in precondition: ${created.revision}, ResourceVersion in object meta: `,
    )
  })

  test('update: does not write an equal object', async ({ storage, createKey, create }) => {
    const created = await create('ns', 'a', { labels: { b: '1', a: '2' }, text: 'x' })
    const oldRevision = await storage.getCurrentRevision()
    for (const options of [{}, { suggestion: created }]) {
      const unchanged = await storage.guaranteedUpdate(createKey('ns', 'a'), (current) => ({ object: current! }), options)
      const equal = await storage.guaranteedUpdate(
        createKey('ns', 'a'),
        () => ({ object: testObject('ns', 'a', { labels: { a: '2', b: '1' }, text: 'x' }) }),
        options,
      )
      expect([unchanged.revision, equal.revision]).toEqual([created.revision, created.revision])
    }
    expect(await storage.getCurrentRevision()).toBe(oldRevision)
  })

  test('update: runs again if a concurrent write came first', async ({ storage, createKey, create, update }) => {
    const created = await create('ns', 'a')
    const currentTexts: (string | undefined)[] = []
    const updated = await storage.guaranteedUpdate(createKey('ns', 'a'), async (current) => {
      currentTexts.push(current!.spec?.text)
      if (currentTexts.length === 1) await update(created, (object) => void (object.spec = { text: 'theirs' }))
      return { object: { ...current!, metadata: { ...current!.metadata, labels: { mine: 'yes' } } } }
    })
    expect(currentTexts).toEqual([undefined, 'theirs'])
    expect(updated.object()).toMatchObject({ spec: { text: 'theirs' }, metadata: { labels: { mine: 'yes' } } })
  })

  test('update: a stale suggestion is replaced by the stored object', async ({ storage, createKey, create, update }) => {
    const stale = await create('ns', 'a')
    await update(stale, (object) => void (object.spec = { text: 'newer' }))
    const updated = await storage.guaranteedUpdate(
      createKey('ns', 'a'),
      (current) => ({ object: { ...current!, metadata: { ...current!.metadata, labels: { x: 'y' } } } }),
      { suggestion: stale },
    )
    expect(updated.object()).toMatchObject({ spec: { text: 'newer' }, metadata: { labels: { x: 'y' } } })
    // The result equals the stale suggestion but differs from the stored object, so it must be written.
    const restored = await storage.guaranteedUpdate(createKey('ns', 'a'), () => ({ object: stale.copy() }), { suggestion: stale })
    expect(restored.object().spec).toEqual({})
    expect((await storage.get(createKey('ns', 'a'))).revision).toBe(restored.revision)
  })

  test('update: writes nothing if tryUpdate returns undefined', async ({ storage, createKey, create, update }) => {
    const stale = await create('ns', 'a')
    const newer = await update(stale, (object) => void (object.spec = { text: 'newer' }))
    const currentTexts: (string | undefined)[] = []
    const writeNothing = (current: TestObject | undefined): undefined => void currentTexts.push(current!.spec?.text)
    expect(await storage.guaranteedUpdate(createKey('ns', 'a'), writeNothing, { suggestion: stale })).toMatchObject({
      revision: newer.revision,
    })
    // The last call must get the stored object.
    expect(currentTexts.at(-1)).toBe('newer')
    const absent = storage.guaranteedUpdate(createKey('ns', 'b'), () => undefined, { ignoreNotFound: true })
    expect(getErrorCode(await catchFailure(absent))).toBe('KeyNotFound')
    expect((await storage.get(createKey('ns', 'a'))).revision).toBe(newer.revision)
  })

  test('update: after an error, runs again if the suggestion was stale, but not if it was current', async ({
    storage,
    createKey,
    create,
    update,
  }) => {
    const stale = await create('ns', 'a')
    const newer = await update(stale, (object) => void (object.spec = { text: 'newer' }))
    let calls = 0
    const refuseOld = (current: TestObject | undefined): { object: TestObject } => {
      calls++
      if (current!.spec?.text !== 'newer') throw new Error('too old')
      return setText('mine')(current)
    }
    const updated = await storage.guaranteedUpdate(createKey('ns', 'a'), refuseOld, { suggestion: stale })
    expect(updated.object().spec).toEqual({ text: 'mine' })
    // A storage may replace the suggestion with a newer object. It then needs only one call.
    expect(calls).toBeLessThanOrEqual(2)
    calls = 0
    const throwError = (): never => {
      calls++
      throw new Error('never')
    }
    const newest = await storage.get(createKey('ns', 'a'))
    expect(newest.revision).toBeGreaterThan(newer.revision)
    expect(String(await catchFailure(storage.guaranteedUpdate(createKey('ns', 'a'), throwError, { suggestion: newest })))).toContain(
      'never',
    )
    expect(calls).toBeLessThanOrEqual(2)
  })

  test('update: watches get a DELETED event when an updated object expires', async ({ storage, createKey, prefix, create, wait }) => {
    await create('ns', 'a')
    const updated = await storage.guaranteedUpdate(createKey('ns', 'a'), (current) => ({ ...setText('x')(current), ttlSeconds: 1 }))
    const reader = await ObjectWatchReader.open(storage, prefix, { resourceVersion: String(updated.revision) })
    await wait(1100)
    expect(await reader.objects(1)).toMatchObject([{ type: 'DELETED', name: 'a' }])
    await reader.stop()
  })

  test('update: concurrent updates are not lost', async ({ storage, createKey, create }) => {
    await create('ns', 'a', { labels: {} })
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        storage.guaranteedUpdate(createKey('ns', 'a'), (current) => {
          current!.metadata.labels = { ...current!.metadata.labels, [`l${i}`]: 'x' }
          return { object: current! }
        }),
      ),
    )
    expect(Object.keys((await storage.get(createKey('ns', 'a'))).labels ?? {})).toHaveLength(12)
  })
}
