import { describe, expect, it } from 'vitest'
import { compileAdmission } from './kubernetes/compile-admission.ts'

/** The longest text that the parser accepts. */
const maxLength = 100_000
/**
 * Maximum processor time, which does not depend on other load. Linear work takes a tenth of it; quadratic work takes several times as much.
 */
const maxMilliseconds = 1_500

const fillToMax = (before: string, part: string, after: string): string =>
  before + part.repeat(Math.floor((maxLength - before.length - after.length) / part.length)) + after

/** Builds an expression that repeats `part` in a scope where the variable x8 has a type of several hundred nodes. */
function withLargeType(part: string, last: string): string {
  let before = '[1].all(x0, '
  for (let i = 1; i <= 8; i++) before += `[{x${i - 1}: x${i - 1}}].all(x${i}, `
  return fillToMax(before, part, `${last}${')'.repeat(9)}`)
}

describe('an expression of the maximum length', () => {
  it.each<[string, string, string | undefined]>([
    ['selections', fillToMax('object', '.a', ''), 'max recursion depth exceeded'],
    ['indexes', fillToMax('object', '[0]', ''), 'max recursion depth exceeded'],
    ['calls', fillToMax('object', '.a()', ''), 'max recursion depth exceeded'],
    ['open brackets', fillToMax('', '(', ''), 'expression recursion limit exceeded: 250'],
    ['conditionals', fillToMax('', 'true?1:', '1'), 'expression recursion limit exceeded: 250'],
    ['sums', fillToMax('1', '+1', ''), 'max recursion depth exceeded'],
    ['alternatives', fillToMax('', 'object.a||', 'true'), undefined],
    ['elements', fillToMax('[', '1,', '1]'), undefined],
    ['elements of unknown type', fillToMax('[', '[],', '[]]'), undefined],
    ['selections of 240 fields', fillToMax('[', `object${'.a'.repeat(240)},`, 'object]'), undefined],
    ['macros', fillToMax('[', '[1].map(x,x),', '[1]]'), undefined],
    ['macros within macros', `${'[1].map(x, '.repeat(200)}x${')'.repeat(200)}`, undefined],
    ['a string', fillToMax('"', 'a', '"'), undefined],
    ['escapes', fillToMax('"', '\\n', '"'), undefined],
    ['unterminated strings', fillToMax('', '"""a', ''), 'Syntax error'],
    ['a large type in many nodes', withLargeType('x8 == x8 || ', 'true'), undefined],
    ['a large type in many messages', withLargeType('x8 + 1 > 0 || ', 'true'), 'found no matching overload'],
  ])('compiles in linear time: %s', (_, text, problem) => {
    expect(text.length).toBeLessThanOrEqual(maxLength)
    const before = process.cpuUsage()
    const compilation = compileAdmission(text, 'variable', { hasParams: false, hasAuthorizer: false })
    const { user, system } = process.cpuUsage(before)
    if (problem === undefined) expect(compilation.problem).toBeUndefined()
    else expect(compilation.problem).toContain(problem)
    expect((user + system) / 1000).toBeLessThan(maxMilliseconds)
  })
})
