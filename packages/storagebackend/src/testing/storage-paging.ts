import { expect } from 'vitest'
import { isStorageError } from '../errors.ts'
import { listNames } from './list-names.ts'
import { getErrorCode, catchFailure } from './storage-errors.ts'
import type { DeclareStorageTest } from './storage-suite.ts'
import { createPredicate } from './test-object.ts'

const decode = (token: string): string => Buffer.from(token, 'base64url').toString()

export function definePagingTests(test: DeclareStorageTest): void {
  test('paging: all pages have the same version and the number of remaining objects', async ({ storage, prefix, create }) => {
    for (let i = 0; i < 5; i++) await create('a', String(i))
    const first = await storage.list(`${prefix}a/`, { limit: 2 })
    expect([listNames(first), first.remainingItemCount]).toEqual([['a/0', 'a/1'], 3])
    expect(JSON.parse(decode(first.continue))).toMatchObject({ v: 'meta.k8s.io/v1', rv: first.revision })
    expect(first.continue).not.toContain('=')
    await create('a', '00')
    await create('a', '40')
    const second = await storage.list(`${prefix}a/`, { limit: 2, continue: first.continue })
    expect([listNames(second), second.remainingItemCount, second.revision]).toEqual([['a/2', 'a/3'], 1, first.revision])
    const third = await storage.list(`${prefix}a/`, { limit: 2, continue: second.continue })
    expect([listNames(third), third.remainingItemCount, third.continue, third.revision]).toEqual([['a/4'], undefined, '', first.revision])
    const secondPage = await storage.list(`${prefix}a/`, { continue: first.continue })
    expect(listNames(secondPage)).toEqual(['a/2', 'a/3', 'a/4'])
  })

  test('paging: a full last page has no token', async ({ storage, prefix, create }) => {
    for (let i = 0; i < 4; i++) await create('a', String(i))
    const fullList = await storage.list(prefix, { limit: 4 })
    expect([listNames(fullList).length, fullList.continue, fullList.remainingItemCount]).toEqual([4, '', undefined])
    expect((await storage.list(prefix, { limit: 5 })).continue).toBe('')
  })

  test('paging: pages with a selector are full, without a number of remaining objects', async ({ storage, prefix, create }) => {
    for (let i = 0; i < 20; i++) await create('a', String(i).padStart(2, '0'), { labels: { odd: String(i % 2) } })
    const predicate = createPredicate({ labels: 'odd=1' })
    const listedNames: string[] = []
    let token = ''
    do {
      const page = await storage.list(prefix, { limit: 4, predicate, ...(token !== '' && { continue: token }) })
      expect(page.remainingItemCount).toBeUndefined()
      const items = listNames(page)
      listedNames.push(...items)
      token = page.continue
      if (token !== '') expect(items).toHaveLength(4)
    } while (token !== '')
    expect(listedNames).toEqual(Array.from({ length: 10 }, (_, i) => `a/${String(2 * i + 1).padStart(2, '0')}`))
  })

  test('paging: the error for an expired token has a token that continues at the newest state', async ({
    storage,
    prefix,
    create,
    compact,
  }) => {
    for (let i = 0; i < 5; i++) await create('a', String(i))
    const first = await storage.list(`${prefix}a/`, { limit: 2 })
    const newer = await create('a', '2-new')
    await compact(newer.revision)
    const error = await catchFailure(storage.list(`${prefix}a/`, { limit: 2, continue: first.continue }))
    expect(getErrorCode(error)).toBe('ResourceVersionTooOld')
    expect(String(error)).toContain('The provided continue parameter is too old to display a consistent list result.')
    const token = isStorageError(error)
      ? error.continue!
      : (error as { status: { metadata: { continue: string } } }).status.metadata.continue
    expect(JSON.parse(decode(token)).rv).toBe(-1)
    const nextPage = await storage.list(`${prefix}a/`, { limit: 2, continue: token })
    expect(listNames(nextPage)).toEqual(['a/2', 'a/2-new'])
    expect(nextPage.revision).toBeGreaterThanOrEqual(newer.revision)
    expect(listNames(await storage.list(`${prefix}a/`, { continue: nextPage.continue }))).toEqual(['a/3', 'a/4'])
  })

  test('paging: invalid tokens are refused with the error text of kube-apiserver', async ({ storage, prefix, create }) => {
    await create('a', '1')
    const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const cases: [string, string][] = [
      ['garbage', "continue key is not valid: invalid character '\\u0081' looking for beginning of value"],
      ['a b', 'continue key is not valid: illegal base64 data at input byte 1'],
      [encode({ v: 'v2', rv: 1, start: 'x' }), 'continue key is not valid: server does not recognize this encoded version v2'],
      [
        encode({ v: 'meta.k8s.io/v1', rv: 0, start: 'x' }),
        'continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
      ],
      [encode({ v: 'meta.k8s.io/v1', rv: 5, start: '' }), 'continue key is not valid: encoded start key empty (version meta.k8s.io/v1)'],
      [encode({ v: 'meta.k8s.io/v1', rv: 5, start: '../b' }), 'continue key is not valid: ../b'],
    ]
    for (const [token, message] of cases) {
      const error = await catchFailure(storage.list(prefix, { continue: token, limit: 1 }))
      expect(['InvalidContinueToken', 'BadRequest']).toContain(getErrorCode(error))
      expect(String(error)).toContain(`invalid continue token: ${message}`)
    }
    const validToken = encode({ v: 'meta.k8s.io/v1', rv: -1, start: 'a/0' })
    const failureOfBoth = await catchFailure(storage.list(prefix, { continue: validToken, resourceVersion: '5' }))
    expect(String(failureOfBoth)).toContain('specifying resource version is not allowed when using continue')
  })
}
