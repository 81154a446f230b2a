import { fourfold, measureProcessorTime } from '@keelson/apimachinery/testing'
import { expect, it } from 'vitest'
import { parseAccept } from './media-types.ts'
import { parseQuery, parseTarget } from './request-attributes.ts'

it.each([
  ['/api/v1/pods?watch=1', '/api/v1/pods', 'watch=1'],
  ['/healthz/../api/v1/secrets', '/healthz/../api/v1/secrets', ''],
  ['/healthz/%2e%2e/api', '/healthz/../api', ''],
  ['/a%2fb/%252e', '/a/b/%2e', ''],
  ['/pods#?watch=1', '/pods#', 'watch=1'],
  ['/pods??a=b?c', '/pods', '?a=b?c'],
  ['https://other:1/api/v1/pods?x', '/api/v1/pods', 'x'],
  ['HTTP://other?x', '/', 'x'],
  ['//other/api', '//other/api', ''],
])('splits %s without changes', (target, path, query) => {
  expect(parseTarget(target)).toMatchObject({ path, query })
})

it.each([
  ['/', []],
  ['/a/b', ['a', 'b']],
  ['/a/b/', ['a', 'b']],
  ['/a//b//', ['a', '', 'b', '']],
  ['//a', ['', 'a']],
  ['/a%2fb/%252f', ['a', 'b', '%2f']],
])('the segments of %s match its path', (target, segments) => {
  expect(parseTarget(target).segments).toEqual(segments)
})

it.each(['*', 'api/v1/pods', '?x', '', 'ftp://x/api', 'https:///api', '/%ff', '/%zz', '/%'])('rejects the target %j', (target) => {
  expect(() => parseTarget(target)).toThrow(URIError)
})

it('drops the same query parameters as kube-apiserver', () => {
  expect([...parseQuery('a=1;b=2&c=%zz&d=%2&e=x+y%20z&f&=g&e=')]).toEqual([
    ['e', 'x y z'],
    ['f', ''],
    ['', 'g'],
    ['e', ''],
  ])
  expect([...parseQuery('?watch=1')]).toEqual([['?watch', '1']])
})

it('parses at most 10,000 parameters, in less than quadratic time', async () => {
  expect(parseQuery('a&'.repeat(9_999)).size).toBe(9_999)
  expect(parseQuery('a&'.repeat(10_000)).size).toBe(0)
  const [shortQuery, longQuery] = [250_000, 1_000_000].map((count) => 'a&'.repeat(count))
  const small = await measureProcessorTime(() => parseQuery(shortQuery!))
  expect(await measureProcessorTime(() => parseQuery(longQuery!))).toBeLessThan(fourfold * small)
})

it('sorts a huge Accept header in less than quadratic time', async () => {
  const accept = (count: number): string => `${'*/*,'.repeat(count)}${'a/b,'.repeat(count)}`
  const timeOfFew = await measureProcessorTime(() => parseAccept(accept(12_500)))
  expect(await measureProcessorTime(() => parseAccept(accept(50_000)))).toBeLessThan(fourfold * timeOfFew)
  const clauses = parseAccept(accept(50_000))
  expect([clauses.length, clauses[0]!.type, clauses.at(-1)!.type]).toEqual([100_000, 'a', '*'])
})
