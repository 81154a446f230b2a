import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile, CompileError } from './compile.ts'
import { buildAdmissionEnvironment } from './kubernetes/admission-environment.ts'

const environment = buildAdmissionEnvironment({ hasParams: true, hasAuthorizer: true, hasPatches: true })

/** Returns the compile error. Any other exception fails the test. */
function catchProblem(text: string): string {
  try {
    compile(text, environment)
    return ''
  } catch (error) {
    if (error instanceof CompileError) return error.message
    throw error
  }
}

const pieces = fc.constantFrom(
  ...'( ) [ ] { } . , - ! ? : + * / % & | = == && || < in true null 1 1u .5 "s" \' " ` # @ \\ """ // a if has( .all(x, .map( é 😀'.split(
    ' ',
  ),
  '\n',
  ' ',
)

describe('compilation of hostile expressions', () => {
  it('throws only CompileError', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (fragments) => {
        expect(catchProblem(fragments.join(''))).toBeTypeOf('string')
      }),
      { numRuns: 300 },
    )
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 40 }).map((codes) => String.fromCodePoint(...codes)),
        (text) => {
          expect(catchProblem(text)).toBeTypeOf('string')
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each([
    ['brackets', '('.repeat(10_000) + '1' + ')'.repeat(10_000), 'expression recursion limit exceeded: 250'],
    ['lists', '['.repeat(10_000) + ']'.repeat(10_000), 'expression recursion limit exceeded: 250'],
    ['maps', '{1:'.repeat(10_000), 'expression recursion limit exceeded: 250'],
    ['calls', 'f('.repeat(10_000), 'expression recursion limit exceeded: 250'],
    ['choices', 'true ? 1 : '.repeat(5_000) + '1', 'expression recursion limit exceeded: 250'],
    ['sums', '1' + '+1'.repeat(10_000), 'max recursion depth exceeded'],
    ['comparisons', '1' + '<1'.repeat(10_000), 'max recursion depth exceeded'],
    ['fields', 'object' + '.a'.repeat(10_000), 'max recursion depth exceeded'],
    ['indexes', 'object' + '[0]'.repeat(10_000), 'max recursion depth exceeded'],
    ['macros', 'object' + '.map(x, x)'.repeat(5_000), 'max recursion depth exceeded'],
    ['code points', '1 + '.repeat(250_000), 'expression code point size exceeds limit: size: 1000000, limit 100000'],
  ])('rejects too many %s', (_, text, message) => {
    expect(catchProblem(text)).toBe(`ERROR: <input>:-1:0: ${message}`)
  })

  it('accepts long text without nesting', () => {
    expect(catchProblem('!'.repeat(50_000) + 'true')).toBe('')
    expect(catchProblem('true' + ' && true'.repeat(5_000))).toBe('')
    expect(catchProblem(`[${'1,'.repeat(20_000)}]`)).toBe('')
  })

  it('reports a limited number of errors', () => {
    expect(catchProblem('# '.repeat(500))).toContain('1 more errors were truncated')
    expect(catchProblem('{1} + '.repeat(40))).toContain('error recovery attempt limit exceeded: 30')
    expect(catchProblem(`1 ${'2 '.repeat(400)}`)).toContain('error recovery token lookahead limit exceeded: 256')
    expect(catchProblem(Array.from({ length: 150 }, (_, i) => `x${i}`).join(' == '))).toContain('50 more errors were truncated')
  })

  it('limits the number of copies that macros make', () => {
    expect(catchProblem('optional.of(1)' + '.optMap(x, x)'.repeat(5))).toBe('')
    expect(catchProblem('optional.of(1)' + '.optMap(x, x)'.repeat(30))).toContain('optMap() is nested too deeply')
  })

  it('limits the size of types', () => {
    const createDoubling = (depth: number): string => (depth === 0 ? 'x' : `[{x: x}].map(x, ${createDoubling(depth - 1)})`)
    expect(catchProblem(`[1].map(x, ${createDoubling(6)})`)).toBe('')
    expect(catchProblem(`[1].map(x, ${createDoubling(60)})`)).toContain('type is too large')
  })

  it('limits the size of types with undeclared names', () => {
    const names = Array.from({ length: 21 }, (_, i) => `a${i}`)
    const createPairs = (count: number): string =>
      names.slice(0, count).reduceRight(
        (inner, name) => `[[]].all(${name}, ${inner})`,
        names
          .slice(1, count)
          .map((name, i) => `a${i} == [{${name}: ${name}}]`)
          .join(' && '),
      )
    expect(catchProblem(createPairs(4))).toBe('')
    expect(catchProblem(createPairs(21))).toContain('type is too large')
  })

  it('omits long lines from the message', () => {
    expect(catchProblem(`x${' '.repeat(20_000)}`)).toBe("ERROR: <input>:1:1: undeclared reference to 'x' (in container '')")
  })
})
