import { expect } from 'vitest'
import { createPrefixRange } from '../object-key.ts'
import type { DeclareBackendTest } from './backend-suite.ts'
import { WatchReader, waitFor } from './watch-reader.ts'

export function defineLifecycleTests(test: DeclareBackendTest): void {
  test('an open store is healthy', async ({ backend }) => {
    await expect(backend.checkHealth()).resolves.toBeUndefined()
  })

  test('closing ends watches, refuses later requests, and may be repeated', async ({ backend, prefix, put }) => {
    const revision = await put('a')
    const reader = new WatchReader(backend, createPrefixRange(prefix), revision)
    const waiting = reader.next().catch(() => undefined)
    await Promise.all([backend[Symbol.asyncDispose](), backend[Symbol.asyncDispose]()])
    await backend[Symbol.asyncDispose]()
    expect(await waitFor(waiting, 'the watch to end')).toBeUndefined()
    for (const call of [
      () => backend.get(`${prefix}a`),
      () => backend.list(createPrefixRange(prefix)),
      () => put('a'),
      () => backend.grantLease(1),
      () => backend.checkHealth(),
      () => backend.requestProgress(),
      () => new WatchReader(backend, createPrefixRange(prefix), revision).next(),
    ]) {
      await expect(waitFor<unknown>(call(), 'a refusal')).rejects.toMatchObject({ name: 'StoppedError', message: 'the store is closed' })
    }
  })
}
