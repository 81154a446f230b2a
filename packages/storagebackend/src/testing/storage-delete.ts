import { expect } from 'vitest'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'

export function defineDeleteTests(test: DeclareStorageTest): void {
  test('delete: returns the last object under a new version', async ({ storage, createKey, create }) => {
    const created = await create('ns', 'a', { text: 'last' })
    const deleted = await storage.delete(createKey('ns', 'a'))
    expect(deleted.revision).toBeGreaterThan(created.revision)
    expect(deleted.object().metadata.resourceVersion).toBe(String(deleted.revision))
    expect(deleted.object().spec!.text).toBe('last')
    expect(getErrorCode(await catchFailure(storage.get(createKey('ns', 'a'))))).toBe('KeyNotFound')
    expect(getErrorCode(await catchFailure(storage.delete(createKey('ns', 'a'))))).toBe('KeyNotFound')
  })

  test('delete: fails if a precondition fails', async ({ storage, createKey, create }) => {
    const created = await create('ns', 'a', { uid: 'A' })
    const error = await catchFailure(storage.delete(createKey('ns', 'a'), { preconditions: { uid: 'B' } }))
    expect(getErrorCode(error)).toBe('InvalidObject')
    expect(String(error)).toContain(
      `invalid object, Code: 4, Key: ${createKey('ns', 'a')}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID`,
    )
    await storage.delete(createKey('ns', 'a'), { preconditions: { uid: 'A', resourceVersion: String(created.revision) } })
  })

  test('delete: does not read the object if the suggestion is current', async ({ storage, createKey, create }) => {
    const suggestion = await create('ns', 'a', { text: 'x' })
    const deleted = await storage.delete(createKey('ns', 'a'), { suggestion })
    expect(deleted.object()).toEqual({
      ...suggestion.copy(),
      metadata: { ...suggestion.copy().metadata, resourceVersion: String(deleted.revision) },
    })
  })

  test('delete: a stale suggestion is replaced by the stored object', async ({ storage, createKey, create, update }) => {
    const suggestion = await create('ns', 'a')
    await update(suggestion, (object) => void (object.spec = { text: 'newest' }))
    expect((await storage.delete(createKey('ns', 'a'), { suggestion })).object().spec!.text).toBe('newest')
  })

  test('delete: a suggestion of a deleted object is not found', async ({ storage, createKey, create }) => {
    const suggestion = await create('ns', 'a')
    await storage.delete(createKey('ns', 'a'))
    expect(getErrorCode(await catchFailure(storage.delete(createKey('ns', 'a'), { suggestion })))).toBe('KeyNotFound')
  })

  test('delete: validates again if the object is written during validation', async ({ storage, createKey, create, update }) => {
    const created = await create('ns', 'a')
    const validatedTexts: (string | undefined)[] = []
    const deleted = await storage.delete(createKey('ns', 'a'), {
      async validate(object) {
        validatedTexts.push(object.spec?.text)
        if (validatedTexts.length === 1) await update(created, (changed) => void (changed.spec = { text: 'newest' }))
      },
    })
    expect(validatedTexts).toEqual([undefined, 'newest'])
    expect(deleted.object().spec!.text).toBe('newest')
  })

  test('delete: discards the validation result of a stale suggestion', async ({ storage, createKey, create, update }) => {
    const stale = await create('ns', 'a')
    let calls = 0
    const refuseText = (text: string | undefined) => (object: { readonly spec?: { readonly text?: string } }) => {
      calls++
      if (object.spec?.text === text) throw new Error('refused')
    }
    expect(
      String(await catchFailure(storage.delete(createKey('ns', 'a'), { suggestion: stale, validate: refuseText(undefined) }))),
    ).toContain('refused')
    expect(calls).toBeLessThanOrEqual(2)
    await update(stale, (object) => void (object.spec = { text: 'newer' }))
    // Here the stale object passes the validation, and the stored object does not.
    expect(
      String(await catchFailure(storage.delete(createKey('ns', 'a'), { suggestion: stale, validate: refuseText('newer') }))),
    ).toContain('refused')
    // Here the stale object fails the validation, and the stored object passes it.
    calls = 0
    await storage.delete(createKey('ns', 'a'), { suggestion: stale, validate: refuseText(undefined) })
    expect(calls).toBeLessThanOrEqual(2)
  })

  test('delete: preconditions that fail on a stale suggestion are checked again', async ({ storage, createKey, create, update }) => {
    const stale = await create('ns', 'a')
    const newer = await update(stale, (object) => void (object.spec = { text: 'newer' }))
    const createPrecondition = (revision: number): { preconditions: { resourceVersion: string } } => ({
      preconditions: { resourceVersion: String(revision) },
    })
    expect(
      getErrorCode(await catchFailure(storage.delete(createKey('ns', 'a'), { suggestion: stale, ...createPrecondition(stale.revision) }))),
    ).toBe('InvalidObject')
    await storage.get(createKey('ns', 'a'))
    await storage.delete(createKey('ns', 'a'), { suggestion: stale, ...createPrecondition(newer.revision) })
  })
}
