import { RE2JS } from 're2js'
import { findPatternError } from './check-pattern.ts'

const maxCachedPatterns = 256
/** Maximum length of cached patterns. Longer patterns compile to large programs, which would take too much memory. */
const maxCachedLength = 1024

const compiled = new Map<string, RE2JS>()

/**
 * Compiles a pattern with RE2, which matches in linear time. Returns Go's error message for an invalid pattern. Recent patterns are cached.
 *
 * @example
 * const pattern = compilePattern('^[a-z]+$')
 * const isMatch = typeof pattern === 'object' && pattern.test('abc')
 */
export function compilePattern(pattern: string): RE2JS | string {
  const cached = compiled.get(pattern)
  if (cached !== undefined) return cached
  const problem = findPatternError(pattern)
  if (problem !== undefined) return problem
  const expression = compileUncached(pattern)
  if (typeof expression === 'string' || pattern.length > maxCachedLength) return expression
  if (compiled.size >= maxCachedPatterns) compiled.delete(compiled.keys().next().value!)
  compiled.set(pattern, expression)
  return expression
}

/** Compiles a valid pattern for a caller that keeps the result. Returns a message if the pattern is too large. */
export function compileUncached(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
