import { assert, integer, property, uniqueArray } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findFirstOverlap, parseIndexes } from './index-intervals.ts'

const completions = 40
const indexes = uniqueArray(integer({ min: 0, max: completions - 1 })).map((list) => new Set(list))

/** Formats runs of consecutive indexes as "first-last". */
function formatIndexes(indexes: ReadonlySet<number>): string {
  const intervals: string[] = []
  for (let i = 0; i < completions; i++) {
    if (!indexes.has(i)) continue
    const first = i
    while (indexes.has(i + 1)) i++
    intervals.push(first === i ? String(i) : `${first}-${i}`)
  }
  return intervals.join(',')
}

describe('index lists', () => {
  it('counts the indexes', () => {
    assert(
      property(indexes, (input) => {
        expect(parseIndexes(formatIndexes(input), completions)).toEqual({ count: input.size })
      }),
    )
  })

  it('reports the first common index', () => {
    assert(
      property(indexes, indexes, (a, b) => {
        const commonIndexes = [...a].filter((index) => b.has(index)).sort((x, y) => x - y)
        expect(findFirstOverlap(formatIndexes(a), formatIndexes(b), completions)).toBe(commonIndexes[0])
      }),
    )
  })

  it.each([
    ['0,x', 'cannot convert string to integer for index: "x"'],
    ['40', 'too large index: "40"'],
    ['1-2-3', 'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\''],
    ['3-3', 'non-increasing order, previous: 3, current: 3'],
    ['0-4,4', 'non-increasing order, previous: 4, current: 4'],
  ])('rejects %s', (text, error) => expect(parseIndexes(text, completions)).toEqual({ error }))
})
