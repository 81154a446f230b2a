import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatLineDiff } from './line-diff.ts'
import { diffLines } from './sequence-matcher.ts'

describe('lineDiff', () => {
  it('prints hunks with three context lines and line numbers', () => {
    const numbers = Array.from({ length: 20 }, (_, i) => i)
    const changed = numbers.with(9, 90)
    expect(formatLineDiff(numbers, changed)).toBe('@@ -8,7 +8,7 @@\n  6,\n  7,\n  8,\n- 9,\n+ 90,\n  10,\n  11,\n  12,\n')
    expect(formatLineDiff(numbers, numbers)).toBe('')
    expect(formatLineDiff(numbers, changed.with(0, 5)).match(/@@/g)).toHaveLength(4)
    expect(formatLineDiff(null, { a: '<' })).toBe('@@ -1 +1,3 @@\n-null\n+{\n+ "a": "\\u003c"\n+}\n')
    expect(formatLineDiff({ a: [] }, { a: {}, b: 2n ** 53n })).toBe(
      '@@ -1,3 +1,4 @@\n {\n- "a": []\n+ "a": {},\n+ "b": 9007199254740992\n }\n',
    )
  })

  it('returns edits that transform the first list into the second', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 })
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const edits = diffLines(a, b)
        const rebuilt = edits.flatMap(({ kind, oldStart, oldEnd, newStart, newEnd }) =>
          kind === 'equal' ? a.slice(oldStart, oldEnd) : b.slice(newStart, newEnd),
        )
        expect(rebuilt).toEqual(b)
        expect(edits.flatMap(({ oldStart, oldEnd }) => a.slice(oldStart, oldEnd))).toEqual(a)
      }),
    )
  })

  it('matches the longest run of common lines first', () => {
    const kinds = diffLines([...'abxcd'], [...'abcd']).map(({ kind, oldStart, oldEnd }) => `${kind} ${oldStart}-${oldEnd}`)
    expect(kinds).toEqual(['equal 0-2', 'delete 2-3', 'equal 3-5'])
  })

  it('handles long inputs quickly', () => {
    const long = Array.from({ length: 100_000 }, (_, i) => i % 7)
    expect(formatLineDiff(long, long.toReversed()).startsWith('@@ -1,100002 +1,100002 @@\n')).toBe(true)
  })
})
