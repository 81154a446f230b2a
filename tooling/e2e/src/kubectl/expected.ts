/**
 * Expected output: a string for the whole output except the last line break, a pattern to find in it, or a list of strings and patterns
 * that must all be found.
 */
export type Text = string | RegExp | readonly (string | RegExp)[]

export interface Outcome {
  /** Expected exit code. Default: 0. */
  readonly code?: number
  /** Default: empty. */
  readonly stdout?: Text
  /** Default: empty. */
  readonly stderr?: Text
}

/** Returns a pattern for a table with exactly these rows. Ignores the widths of columns. `*` matches any one word. */
export function matchTable(...rows: readonly string[]): RegExp {
  return new RegExp(`^${rows.map((row) => `${formatPattern(row)} *`).join('\n')}\n$`)
}

/** Returns patterns that expect each text as a whole line, with any indentation. */
export function matchLines(...texts: readonly string[]): readonly RegExp[] {
  return texts.map((line) => new RegExp(`^[\\t ]*${formatPattern(line)}[\\t ]*$`, 'm'))
}

function formatPattern(row: string): string {
  return row
    .trim()
    .split(/\s+/)
    .map((word) => (word === '*' ? '\\S+' : word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('[\\t ]+')
}

/** Describes how the printed text differs from the expected output. Returns undefined if it does not differ. */
export function describeDifference(printed: string, expected: Text): string | undefined {
  if (typeof expected === 'string') {
    const matches = printed === expected || printed === `${expected}\n`
    return matches ? undefined : `expected ${JSON.stringify(expected)}`
  }
  const patterns = expected instanceof RegExp ? [expected] : expected
  const missing = patterns.find((part) => (typeof part === 'string' ? !printed.includes(part) : !part.test(printed)))
  return missing === undefined ? undefined : `expected ${String(missing)}`
}
