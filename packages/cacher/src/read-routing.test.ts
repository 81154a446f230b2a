import { describe, expect, test } from 'vitest'
import { routeList } from './read-routing.ts'
import type { ListQuestion, ReadRoute } from './read-routing.ts'

const cache = { revision: 100, holds: (revision: number) => revision >= 50 }
const plain: ListQuestion = { resourceVersion: '', match: undefined, limit: 0, token: undefined, recursive: true }
const token = { revision: 60, startKey: '/k' }

const cases: [string, Partial<ListQuestion>, ReadRoute][] = [
  ['nothing given', {}, { type: 'consistent', startKey: undefined, limit: 0 }],
  ['a first page', { limit: 5 }, { type: 'consistent', startKey: undefined, limit: 5 }],
  ['a negative limit is none', { limit: -1 }, { type: 'consistent', startKey: undefined, limit: 0 }],
  ['any age', { resourceVersion: '0' }, { type: 'notOlderThan', revision: 0, limit: 0 }],
  ['any age ignores the limit', { resourceVersion: '0', limit: 5 }, { type: 'notOlderThan', revision: 0, limit: 0 }],
  ['a number', { resourceVersion: '70' }, { type: 'notOlderThan', revision: 70, limit: 0 }],
  ['a number and a limit', { resourceVersion: '70', limit: 5 }, { type: 'exact', revision: 70, startKey: undefined, limit: 5 }],
  ['the same, no longer held', { resourceVersion: '7', limit: 5 }, { type: 'store' }],
  ['NotOlderThan', { resourceVersion: '70', match: 'NotOlderThan' }, { type: 'notOlderThan', revision: 70, limit: 0 }],
  ['NotOlderThan with limit', { resourceVersion: '70', match: 'NotOlderThan', limit: 5 }, { type: 'notOlderThan', revision: 70, limit: 5 }],
  ['NotOlderThan 0 with limit', { resourceVersion: '0', match: 'NotOlderThan', limit: 5 }, { type: 'notOlderThan', revision: 0, limit: 0 }],
  ['Exact', { resourceVersion: '70', match: 'Exact' }, { type: 'exact', revision: 70, startKey: undefined, limit: 0 }],
  ['Exact, no longer held', { resourceVersion: '49', match: 'Exact' }, { type: 'store' }],
  ['Exact, in the future', { resourceVersion: '101', match: 'Exact' }, { type: 'exact', revision: 101, startKey: undefined, limit: 0 }],
  ['Exact of one key', { resourceVersion: '70', match: 'Exact', recursive: false }, { type: 'store' }],
  ['Exact 0 is refused by the store', { resourceVersion: '0', match: 'Exact' }, { type: 'store' }],
  ['one key', { recursive: false }, { type: 'consistent', startKey: undefined, limit: 0 }],
  ['continued', { token, limit: 5 }, { type: 'exact', revision: 60, startKey: '/k', limit: 5 }],
  ['continued, no longer held', { token: { revision: 20, startKey: '/k' } }, { type: 'store' }],
  ['continued at the latest', { token: { revision: -1, startKey: '/k' } }, { type: 'consistent', startKey: '/k', limit: 0 }],
  ['continued with a version is refused by the store', { token, resourceVersion: '70' }, { type: 'store' }],
  ['an unreadable token', { token: 'invalid' }, { type: 'store' }],
  ['an unreadable version', { resourceVersion: 'abc' }, { type: 'store' }],
]

describe('routeList', () => {
  test.each(cases)('%s', (_name, question, route) => {
    expect(routeList({ ...plain, ...question }, cache)).toEqual(route)
  })
})
