import { createRequire } from 'node:module'
import type * as re2js from 're2js'
import type { RE2JS } from 're2js'
import { findPatternError } from './check-pattern.ts'

/** Maximum size of all cached programs in instructions. They take about 30 MB. */
const maxCachedSize = 100_000
/** Size that a pattern counts for in addition to its program. */
const baseSize = 20

interface CachedPattern {
  readonly expression: RE2JS | string
  readonly size: number
}

const cached = new Map<string, CachedPattern>()
let cachedSize = 0

/**
 * Compiles a pattern with RE2, which matches in linear time. Returns Go's error message for an invalid pattern. Recent patterns are cached.
 *
 * @example
 * const pattern = compilePattern('^[a-z]+$')
 * const isMatch = typeof pattern === 'object' && pattern.test('abc')
 */
export function compilePattern(pattern: string): RE2JS | string {
  const recent = cached.get(pattern)
  if (recent !== undefined) return recent.expression
  const expression = findPatternError(pattern) ?? compileUncached(pattern)
  const size = baseSize + pattern.length / 8 + (typeof expression === 'string' ? expression.length / 8 : expression.programSize())
  for (const [text, oldest] of cached) {
    if (cachedSize + size <= maxCachedSize) break
    cached.delete(text)
    cachedSize -= oldest.size
  }
  if (size > maxCachedSize) return expression
  cached.set(pattern, { expression, size })
  cachedSize += size
  return expression
}

/** Returns whether `compilePattern` returns a cached result. */
export function isPatternCached(pattern: string): boolean {
  return cached.has(pattern)
}

type Library = typeof re2js

let library: Library | undefined

/** Loads the library on first use, because it takes 5 MB and most servers compile no pattern. */
function loadLibrary(): Library {
  return (library ??= createRequire(import.meta.url)('re2js') as Library)
}

function compileUncached(pattern: string): RE2JS | string {
  const { RE2JS } = loadLibrary()
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
