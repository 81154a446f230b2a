/** Text that must be printed: all of it but the last line break, or a pattern in it; of several, each somewhere. */
export type Text = string | RegExp | readonly (string | RegExp)[]

export interface Outcome {
  /** Default: 0. */
  readonly code?: number
  /** Default: nothing. */
  readonly stdout?: Text
  /** Default: nothing. */
  readonly stderr?: Text
}

/** A table of these rows and no others. Columns are as wide as they like; `*` is any one word. */
export function table(...rows: readonly string[]): RegExp {
  return new RegExp(`^${rows.map((row) => `${pattern(row)} *`).join('\n')}\n$`)
}

/** Each of these is a line, indented as it likes. */
export function lines(...wanted: readonly string[]): readonly RegExp[] {
  return wanted.map((line) => new RegExp(`^[\\t ]*${pattern(line)}[\\t ]*$`, 'm'))
}

function pattern(row: string): string {
  return row
    .trim()
    .split(/\s+/)
    .map((word) => (word === '*' ? '\\S+' : word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')))
    .join('[\\t ]+')
}

/** What differs, as a message; undefined when nothing does. */
export function difference(printed: string, expected: Text): string | undefined {
  if (typeof expected === 'string') {
    const matches = printed === expected || printed === `${expected}\n`
    return matches ? undefined : `expected ${JSON.stringify(expected)}`
  }
  const wanted = expected instanceof RegExp ? [expected] : expected
  const missing = wanted.find((part) => (typeof part === 'string' ? !printed.includes(part) : !part.test(printed)))
  return missing === undefined ? undefined : `expected ${String(missing)}`
}
