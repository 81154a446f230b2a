import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from './meta.ts'
import { parseJsonStepwise } from './json-steps.ts'
import { finishTask } from './task.ts'

const pieceLength = 4

function parse(text: string): unknown {
  return finishTask(parseJsonStepwise(text, pieceLength))
}

/** Returns the value of a text or the error about it. */
function attempt(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return String(error)
  }
}

const names = fc.constantFrom('a', 'b', '__proto__', '7', '1', 'quote"', 'é\\', '')
const values = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 6 }, fc.constantFrom(null, true, -1.5e3, 'x', 'a,b]}"', '\\'), tie('object'), tie('list')),
  object: fc.array(fc.tuple(names, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries) as unknown),
  list: fc.array(tie('value'), { maxLength: 6 }),
})).value

describe('parseJsonStepwise', () => {
  it('returns the value of JSON.parse, whose members have the same order', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(JSON.stringify(parse(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: 2000 },
    )
  })

  it('throws the errors of JSON.parse', () => {
    const change = fc.record({ at: fc.nat(200), drops: fc.nat(2), text: fc.constantFrom('', ',', ' ', '{', '}', '[', ']', ':', '"', '1,') })
    fc.assert(
      fc.property(values, fc.array(change, { minLength: 1, maxLength: 3 }), (value, changes) => {
        let text = JSON.stringify(value, undefined, 1)
        for (const { at, drops, text: added } of changes) {
          const start = at % text.length
          text = text.slice(0, start) + added + text.slice(start + drops)
        }
        // After duplicate names, the values may differ. The names of a request are counted.
        const expected = attempt(() => JSON.parse(text) as unknown)
        const actual = attempt(() => parse(text))
        if (typeof expected === 'string' && expected.startsWith('SyntaxError')) expect(actual).toBe(expected)
        else expect(String(actual)).not.toContain('Error')
      }),
      { numRuns: 3000 },
    )
    for (const text of [
      '[          ,1,2,3,4,5]',
      '[1,2,3,4,5,          ]',
      '[1,2,3,4,          ,5]',
      '{"a":1,"b":2,   }',
      '[1,2,3,4]]',
      '{"a":[1,2,3}',
    ]) {
      expect(attempt(() => parse(text))).toBe(attempt(() => JSON.parse(text) as unknown))
    }
  })

  it('yields after each piece of a long text', () => {
    const text = JSON.stringify({ spec: { list: Array.from({ length: 40_000 }, (_, n) => ({ [`name${n}`]: 'x' })) } })
    const task = parseJsonStepwise(text)
    let steps = 0
    for (let step = task.next(); step.done !== true; step = task.next()) steps++
    expect(steps).toBeGreaterThan(text.length / (40 * 1024))
  })

  it('parses texts that are nested deeply', () => {
    const depth = 3000
    let value = parse(`${'{"a":[1,'.repeat(depth)}2${']}'.repeat(depth)}`) as JsonValue
    for (let level = 0; level < depth; level++) value = (value as { readonly a: JsonValue[] }).a[1]!
    expect(value).toBe(2)
  })
})
