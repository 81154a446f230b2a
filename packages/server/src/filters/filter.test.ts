import { expect, test } from 'vitest'
import { openTestExchange } from './exchange.fixture.ts'
import { passFilters, placeFilters } from './filter.ts'
import type { Filter, NamedFilter } from './filter.ts'

const pass: Filter = () => {}
const list: readonly NamedFilter[] = ['a', 'b', 'c'].map((name) => ({ name, filter: pass }))
const listNames = (filters: readonly NamedFilter[]): readonly string[] => filters.map(({ name }) => name)

test('runs filters in order, and none after a filter that answers', async () => {
  const { exchange } = openTestExchange()
  const calls: string[] = []
  const filter =
    (name: string, outcome?: 'answered'): Filter =>
    () => {
      calls.push(name)
      return outcome
    }
  expect(passFilters([filter('a'), filter('b')], exchange)).toBeUndefined()
  const passAsynchronously: Filter = () => new Promise((resolve) => setImmediate(resolve))
  expect(await passFilters([filter('c'), passAsynchronously, filter('d', 'answered'), filter('e')], exchange)).toBe('answered')
  expect(calls).toEqual(['a', 'b', 'c', 'd'])
})

test('runs no further filter if the deadline passes while a filter waits', async () => {
  const { exchange } = openTestExchange()
  let hasRun = false
  const waitPastDeadline: Filter = async (waitingExchange) => {
    await new Promise((resolve) => setImmediate(resolve))
    waitingExchange.end()
  }
  expect(await passFilters([waitPastDeadline, () => void (hasRun = true)], exchange)).toBe('answered')
  expect(hasRun).toBe(false)
})

test('places a custom filter before or after a built-in or another custom filter', () => {
  const ordered = placeFilters(list, [
    { name: 'first', filter: pass, before: 'a' },
    { name: 'last', filter: pass, after: 'c' },
    { name: 'second', filter: pass, after: 'first' },
  ])
  expect(listNames(ordered)).toEqual(['first', 'second', 'a', 'b', 'c', 'last'])
  expect(listNames(list)).toEqual(['a', 'b', 'c'])
})

test.each([
  [{ name: 'x', filter: pass }, 'filter x: needs exactly one of before and after'],
  [{ name: 'x', filter: pass, before: 'a', after: 'b' }, 'filter x: needs exactly one of before and after'],
  [{ name: 'x', filter: pass, before: 'z' }, 'filter x: there is no filter z; known: a, b, c'],
  [{ name: 'b', filter: pass, before: 'a' }, 'filter b: the name is taken'],
])('rejects the position %j', (filter, message) => {
  expect(() => placeFilters(list, [filter])).toThrow(new TypeError(message))
})
