import { TimeSlice } from '@keelson/apimachinery'
import type { RE2JS } from 're2js'
import { compilePattern } from '../regexp/compile-pattern.ts'
import { createUnsupportedError } from '../values/arithmetic.ts'
import { keepError } from '../values/equality.ts'
import { workload } from '../values/workload.ts'
import { PreservedValue } from '../values/schema-value.ts'
import { adapt, CelError, isInt } from '../values/value.ts'
import type { Int, Value } from '../values/value.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementation, Implementations } from './implementation.ts'

/** Number of characters that can be searched in the time of one step. */
const charactersPerStep = 2
export function matches(text: Value, pattern: Value): Value {
  if (typeof text !== 'string') return createUnsupportedError('matches', text)
  if (typeof pattern !== 'string') return keepError(pattern)
  const expression = compilePattern(pattern)
  return typeof expression === 'string' ? new CelError(expression) : testWith(expression, text)
}

function testWith(expression: RE2JS, text: string): boolean {
  workload.read(text, charactersPerStep)
  return expression.test(text)
}

function find(text: string, pattern: string): Value {
  const expression = compilePattern(pattern)
  return typeof expression === 'string' ? new CelError(`Illegal regex: ${expression}`) : findWith(expression, text)
}

function findWith(expression: RE2JS, text: string): Value {
  workload.read(text, charactersPerStep)
  const matcher = expression.matcher(text)
  return matcher.find() ? (matcher.group() ?? '') : ''
}

function findAll(text: string, pattern: string, limit: Int = -1): Value | Promise<Value> {
  const expression = compilePattern(pattern)
  return typeof expression === 'string' ? new CelError(`Illegal regex: ${expression}`) : findAllWith(expression, text, limit)
}

/** Finds all matches up to the limit. Yields to other work if the search takes long. */
function findAllWith(expression: RE2JS, text: string, limit: Int): Value | Promise<Value> {
  workload.read(text, charactersPerStep)
  const matches: string[] = []
  const matcher = expression.matcher(text)
  let end = -1
  const search = (slice: TimeSlice): Promise<Value> | undefined => {
    while ((limit < 0 || matches.length < limit) && matcher.find()) {
      const match = matcher.group() ?? ''
      // Ignores an empty match directly after another match, as Go does.
      if (match !== '' || matcher.start() !== end) matches.push(match)
      end = matcher.end()
      const pause = slice.pauseIfOver()
      if (pause !== undefined) return pause.then(() => search(slice) ?? matches)
    }
    return undefined
  }
  return search(new TimeSlice(matchesPerLook)) ?? matches
}

/** Number of matches after which the clock is read. */
const matchesPerLook = 64

/** Maximum size of a program that an expression keeps, in instructions. A definition may have thousands of expressions. */
const maxKeptSize = 500

/**
 * Returns the implementation of `matches`, `find` or `findAll` for a constant pattern, which is compiled once. Returns undefined for an invalid
 * pattern, and for a large one, which the cache of patterns keeps for a while.
 */
export function searchFor(name: string, pattern: string): Implementation | undefined {
  const expression = compilePattern(pattern)
  if (typeof expression === 'string' || expression.programSize() > maxKeptSize) return undefined
  return adaptTypes((value: Value, _: Value, limit: Value = -1): Value | Promise<Value> => {
    const text = value instanceof PreservedValue ? adapt(value.raw) : value
    if (typeof text !== 'string') return keepError(text)
    if (name === 'matches') return testWith(expression, text)
    if (name === 'find') return findWith(expression, text)
    return isInt(limit) ? findAllWith(expression, text, limit) : keepError(limit)
  })
}

/** Implementations of functions with regular expressions. */
export const regularExpressions: Implementations = {
  string_find_string: adaptTypes(find),
  string_find_all_string: adaptTypes(findAll),
  string_find_all_string_int: adaptTypes(findAll),
}
