/** A place where a source file reads the system's clock by itself. */
export interface ClockReading {
  readonly line: number
  readonly text: string
}

/**
 * Finds `Date.now` and `new Date()` in code, be it called or handed on. `new Date(value)` reads no clock. Comments do not count; a text that holds
 * the words does, since nothing but code has reason to.
 */
export function findClockReadings(source: string): ClockReading[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '))
  return [...code.matchAll(/\bDate\s*\.\s*now\b|\bnew\s+Date\b(?!\s*\(\s*[^\s)])/g)].map(({ 0: text, index }) => ({
    line: code.slice(0, index).split('\n').length,
    text,
  }))
}
