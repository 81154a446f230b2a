/** A line of a source file that reads the system clock. */
export interface ClockReading {
  readonly line: number
  readonly text: string
}

/**
 * Finds uses of `Date.now` and `new Date()` in source code. Ignores comments, and `new Date(value)`, which does not read the clock. Also
 * finds uses in string literals.
 */
export function findClockReadings(source: string): ClockReading[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '))
  return [...code.matchAll(/\bDate\s*\.\s*now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])/g)].map(({ 0: text, index }) => ({
    line: code.slice(0, index).split('\n').length,
    text,
  }))
}
