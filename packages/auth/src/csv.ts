export interface CsvRecord {
  /** The line on which the record begins, from 1. */
  readonly line: number
  readonly fields: readonly string[]
}

/**
 * Parses CSV text (RFC 4180). Rows may have any length. Quoted fields may contain commas, line breaks and doubled quotes. Empty lines are
 * skipped. Throws an error that names the invalid line.
 */
export function parseCsv(text: string, fileName: string): CsvRecord[] {
  const records: CsvRecord[] = []
  let at = 0
  let line = 1
  while (at < text.length) {
    const start = line
    const fields: string[] = []
    for (;;) {
      const quoted = text[at] === '"'
      fields.push(quoted ? readQuotedField() : readPlainField(start))
      if (text[at] !== ',') break
      at++
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    line++
    if (fields.length > 1 || fields[0] !== '') records.push({ line: start, fields })
  }
  return records

  function readPlainField(inLine: number): string {
    let end = at
    while (end < text.length && text[end] !== ',' && text[end] !== '\n') end++
    let field = text.slice(at, end)
    at = end
    if (field.endsWith('\r') && text[end] !== ',') field = field.slice(0, -1)
    if (field.includes('"')) throw new Error(`${fileName}:${inLine}: unexpected quote in an unquoted field`)
    return field
  }

  function readQuotedField(): string {
    const opened = line
    let field = ''
    at++
    for (;;) {
      const end = text.indexOf('"', at)
      if (end < 0) throw new Error(`${fileName}:${opened}: missing closing quote`)
      const part = text.slice(at, end)
      field += part
      for (const character of part) if (character === '\n') line++
      at = end + 1
      if (text[at] !== '"') break
      field += '"'
      at++
    }
    const next = text[at]
    if (next !== undefined && next !== ',' && next !== '\n' && !(next === '\r' && text[at + 1] === '\n')) {
      throw new Error(`${fileName}:${line}: unexpected text after a closing quote`)
    }
    return field
  }
}
