import { isApiError } from '@keelson/apimachinery'
import { StorageError } from '@keelson/storagebackend'
import type { StorageErrorInit } from '@keelson/storagebackend'
import { describe, expect, it, test } from 'vitest'
import { translateError } from './translate-error.ts'
import type { StorageVerb } from './translate-error.ts'

const widgets = { group: 'example.com', resource: 'widgets' }

function translateToText(verb: StorageVerb, init: Omit<StorageErrorInit, 'key'>, requestedVersion?: string): string {
  const error = translateError(verb, new StorageError({ key: '/widgets/a', ...init }), widgets, 'a', requestedVersion)
  return isApiError(error) ? `${error.code} ${error.reason}: ${error.message}` : `unchanged: ${String(error)}`
}

const cases: readonly [StorageVerb, Omit<StorageErrorInit, 'key'>, string][] = [
  ['get', { code: 'KeyNotFound' }, '404 NotFound: widgets.example.com "a" not found'],
  ['list', { code: 'KeyNotFound' }, '404 NotFound: widgets.example.com "" not found'],
  ['create', { code: 'KeyExists' }, '409 AlreadyExists: widgets.example.com "a" already exists'],
  ['list', { code: 'ResourceVersionTooOld', message: 'too old' }, '410 Expired: too old'],
  ['watch', { code: 'ResourceVersionTooOld', message: 'too old' }, '410 Expired: too old'],
  [
    'watch',
    { code: 'ResourceVersionTooLarge', revision: 9, currentRevision: 5 },
    '504 Timeout: Timeout: Too large resource version: 9, current: 5',
  ],
  ['list', { code: 'BadRequest', message: 'no' }, '400 BadRequest: no'],
  ['list', { code: 'InvalidContinueToken', message: 'no' }, '400 BadRequest: no'],
  ['watch', { code: 'UnparsableResourceVersion', message: 'no' }, '500 : no'],
  ['create', { code: 'ObjectTooLarge', message: 'no' }, '413 RequestEntityTooLarge: Request entity too large: no'],
  ['watch', { code: 'NotReady', message: 'filling' }, '429 TooManyRequests: filling'],
  ['watch', { code: 'Internal', message: 'no key' }, '500 InternalError: Internal error occurred: no key'],
  ['watch', { code: 'UnreadableDeletion', message: 'gone' }, '500 StoreReadError: gone'],
  [
    'get',
    { code: 'Unreachable' },
    '500 ServerTimeout: The get operation against widgets.example.com could not be completed at this time, please try again.',
  ],
]

describe('translateError', () => {
  it.each(cases)('%s: translates %o', (verb, init, expected) => {
    expect(translateToText(verb, init)).toBe(expected)
  })

  it('reports a resourceVersion beyond 2^53 exactly', () => {
    const requested = '9223372036854775807'
    const init = { code: 'ResourceVersionTooLarge', revision: Number(requested), currentRevision: 5 } as const
    expect(translateToText('watch', init, requested)).toContain(`Too large resource version: ${requested}, current: 5`)
  })

  it('includes the token that continues an expired list', () => {
    const error = translateError('list', new StorageError({ code: 'ResourceVersionTooOld', key: '', continue: 'abc' }), widgets, '')
    expect(error).toMatchObject({ status: { metadata: { continue: 'abc' } } })
  })

  it('lists the unreadable objects', () => {
    const unreadable = { objects: [{ key: '/widgets/a', message: 'garbage' }], isTruncated: true }
    const error = translateError('list', new StorageError({ code: 'UnreadableObjects', key: '/widgets/', unreadable }), widgets, '')
    expect(error).toMatchObject({
      code: 500,
      reason: 'StoreReadError',
      message: 'failed to read one or more widgets.example.com from the storage',
      details: {
        name: 'list',
        group: 'example.com',
        kind: 'widgets',
        causes: [
          { reason: 'UnexpectedServerResponse', message: 'garbage', field: '/widgets/a' },
          { reason: 'FieldValueTooMany', message: 'too many errors, the list is truncated' },
        ],
      },
    })
  })
})

test('returns other errors unchanged', () => {
  const error = new TypeError('a bug')
  expect(translateError('get', error, widgets, 'a')).toBe(error)
})
