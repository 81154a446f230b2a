import { assert, integer, property, uniqueArray } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findFirstOverlap, parseIndexes } from './index-intervals.ts'

const completions = 40
const indexes = uniqueArray(integer({ min: 0, max: completions - 1 })).map((list) => new Set(list))

/** Formats runs of consecutive indexes as "first-last". */
function formatIndexes(wanted: ReadonlySet<number>): string {
  const parts: string[] = []
  for (let i = 0; i < completions; i++) {
    if (!wanted.has(i)) continue
    const first = i
    while (wanted.has(i + 1)) i++
    parts.push(first === i ? String(i) : `${first}-${i}`)
  }
  return parts.join(',')
}

describe('index lists', () => {
  it('count their indexes', () => {
    assert(
      property(indexes, (wanted) => {
        expect(parseIndexes(formatIndexes(wanted), completions)).toEqual({ count: wanted.size })
      }),
    )
  })

  it('report the first common index', () => {
    assert(
      property(indexes, indexes, (a, b) => {
        const both = [...a].filter((index) => b.has(index)).sort((x, y) => x - y)
        expect(findFirstOverlap(formatIndexes(a), formatIndexes(b), completions)).toBe(both[0])
      }),
    )
  })

  it.each([
    ['0,x', 'cannot convert string to integer for index: "x"'],
    ['40', 'too large index: "40"'],
    ['1-2-3', 'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\''],
    ['3-3', 'non-increasing order, previous: 3, current: 3'],
    ['0-4,4', 'non-increasing order, previous: 4, current: 4'],
  ])('reject %s', (text, error) => expect(parseIndexes(text, completions)).toEqual({ error }))
})
