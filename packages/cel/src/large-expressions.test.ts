import { describe, expect, it } from 'vitest'
import { compileAdmission } from './kubernetes/compile-admission.ts'

/** The longest text that the parser accepts. */
const maxLength = 100_000
/**
 * Maximum processor time, which does not depend on other load. Linear work takes a tenth of it; quadratic work takes several times as much.
 */
const maxMilliseconds = 1_500

const filled = (before: string, part: string, after: string): string =>
  before + part.repeat(Math.floor((maxLength - before.length - after.length) / part.length)) + after

/** Builds an expression that repeats `part` in a scope where the variable x8 has a type of several hundred nodes. */
function withLargeType(part: string, last: string): string {
  let before = '[1].all(x0, '
  for (let i = 1; i <= 8; i++) before += `[{x${i - 1}: x${i - 1}}].all(x${i}, `
  return filled(before, part, `${last}${')'.repeat(9)}`)
}

describe('an expression of the maximum length', () => {
  it.each<[string, string, string | undefined]>([
    ['selections', filled('object', '.a', ''), 'max recursion depth exceeded'],
    ['indexes', filled('object', '[0]', ''), 'max recursion depth exceeded'],
    ['calls', filled('object', '.a()', ''), 'max recursion depth exceeded'],
    ['open brackets', filled('', '(', ''), 'expression recursion limit exceeded: 250'],
    ['conditionals', filled('', 'true?1:', '1'), 'expression recursion limit exceeded: 250'],
    ['sums', filled('1', '+1', ''), 'max recursion depth exceeded'],
    ['alternatives', filled('', 'object.a||', 'true'), undefined],
    ['elements', filled('[', '1,', '1]'), undefined],
    ['elements of unknown type', filled('[', '[],', '[]]'), undefined],
    ['selections of 240 fields', filled('[', `object${'.a'.repeat(240)},`, 'object]'), undefined],
    ['macros', filled('[', '[1].map(x,x),', '[1]]'), undefined],
    ['macros within macros', `${'[1].map(x, '.repeat(200)}x${')'.repeat(200)}`, undefined],
    ['a string', filled('"', 'a', '"'), undefined],
    ['escapes', filled('"', '\\n', '"'), undefined],
    ['unterminated strings', filled('', '"""a', ''), 'Syntax error'],
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
