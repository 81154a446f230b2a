import { expect, test } from 'vitest'
import { routeList } from './read-routing.ts'
import type { ListQuestion } from './read-routing.ts'

/** A cache that has the states from revision 50 to 100. */
const cache = { revision: 100, holds: (revision: number) => revision >= 50 && revision <= 100 }
const versions = ['', '0', '7', '70', '100', '101', 'abc']
const matches = [undefined, 'Exact', 'NotOlderThan', 'Other'] as const
const limits = [0, 5]
const tokens = [
  undefined,
  'invalid',
  { revision: 70, startKey: '/k' },
  { revision: 7, startKey: '/k' },
  { revision: -1, startKey: '/k' },
] as const

type Meaning = 'store' | 'refused' | 'any age' | 'latest' | `at least ${number}` | `exactly ${number}`

/**
 * Returns kube-apiserver's decision about a list. kube-apiserver first validates the request (`ValidateListOptions`) and decides whether
 * the cache answers it (`ShouldDelegateList`). Then the cache selects the state (`waitUntilFreshAndList`). Here, refused requests are
 * routed to the store, which returns the error.
 */
function decideLikeUpstream({ resourceVersion, match, token, limit, recursive }: ListQuestion): Meaning {
  const revision = /^\d*$/.test(resourceVersion) ? Number(resourceVersion) : undefined
  const describeExactRead = (at: number): Meaning => (recursive && (at > cache.revision || cache.holds(at)) ? `exactly ${at}` : 'store')
  const describeNotOlderThan = (at: number): Meaning => (at === 0 ? 'any age' : `at least ${at}`)
  // Validates the request, as kube-apiserver does before it reads from cache or store.
  if (match !== undefined && (token !== undefined || resourceVersion === '' || !['Exact', 'NotOlderThan'].includes(match))) return 'refused'
  if (match === 'Exact' && revision === 0) return 'refused'
  if (revision === undefined) return 'refused'
  if (token !== undefined && recursive && (token === 'invalid' || revision > 0)) return 'refused'
  // Decides whether the cache or the store answers.
  if (match === 'Exact') return describeExactRead(revision)
  if (match === 'NotOlderThan') return describeNotOlderThan(revision)
  if (token !== undefined) {
    if (!recursive || token === 'invalid') return 'store'
    return token.revision > 0 ? describeExactRead(token.revision) : 'latest'
  }
  if (limit > 0 && revision > 0) return describeExactRead(revision)
  return resourceVersion === '' ? 'latest' : describeNotOlderThan(revision)
}

function decideByRouteList(question: ListQuestion): Meaning {
  const route = routeList(question, cache)
  switch (route.type) {
    case 'store':
      return 'store'
    case 'consistent':
      return 'latest'
    case 'exact':
      return `exactly ${route.revision}`
    case 'notOlderThan':
      return route.revision === 0 ? 'any age' : `at least ${route.revision}`
  }
}

test('every combination of list options is routed as by kube-apiserver, with the same limit and first key', () => {
  let combinations = 0
  for (const resourceVersion of versions)
    for (const match of matches)
      for (const limit of limits)
        for (const token of tokens)
          for (const recursive of [true, false]) {
            const question = { resourceVersion, match: match as ListQuestion['match'], limit, token, recursive }
            const message = JSON.stringify(question)
            const expected = decideLikeUpstream(question)
            expect(decideByRouteList(question), message).toBe(expected === 'refused' ? 'store' : expected)
            combinations++
            const route = routeList(question, cache)
            if (route.type === 'store') continue
            // Lists that accept any state ignore the limit.
            expect(route.limit, message).toBe(resourceVersion === '0' ? 0 : limit)
            if (route.type !== 'notOlderThan') expect(route.startKey, message).toBe(token === undefined ? undefined : '/k')
          }
  expect(combinations).toBe(7 * 4 * 2 * 5 * 2)
})
