/** A line of a source file that reads the system clock. */
export interface ClockReading {
  readonly line: number
  readonly text: string
}

/**
 * Finds `Date.now` and `new Date()` in code, called or passed as a function. Ignores `new Date(value)`, which reads no clock, and comments.
 * Does not ignore string literals.
 */
export function findClockReadings(source: string): ClockReading[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '))
  return [...code.matchAll(/\bDate\s*\.\s*now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])/g)].map(({ 0: text, index }) => ({
    line: code.slice(0, index).split('\n').length,
    text,
  }))
}
