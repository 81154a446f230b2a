export interface CsvRecord {
  /** Where it begins, from 1. */
  readonly line: number
  readonly fields: readonly string[]
}

/** RFC 4180 with rows of any length: quoted fields may hold commas, line ends and doubled quotes; empty lines are skipped. Throws with the line's number. */
export function parseCsv(text: string, fileName: string): CsvRecord[] {
  const records: CsvRecord[] = []
  let at = 0
  let line = 1
  while (at < text.length) {
    const start = line
    const fields: string[] = []
    for (;;) {
      const quoted = text[at] === '"'
      fields.push(quoted ? quotedField() : plainField(start))
      if (text[at] !== ',') break
      at++
    }
    if (text[at] === '\r') at++
    if (text[at] === '\n') at++
    line++
    if (fields.length > 1 || fields[0] !== '') records.push({ line: start, fields })
  }
  return records

  function plainField(inLine: number): string {
    let end = at
    while (end < text.length && text[end] !== ',' && text[end] !== '\n') end++
    let field = text.slice(at, end)
    at = end
    if (field.endsWith('\r') && text[end] !== ',') field = field.slice(0, -1)
    if (field.includes('"')) throw new Error(`${fileName}:${inLine}: a quote in a field that does not begin with one`)
    return field
  }

  function quotedField(): string {
    const opened = line
    let field = ''
    at++
    for (;;) {
      const end = text.indexOf('"', at)
      if (end < 0) throw new Error(`${fileName}:${opened}: a quote is not closed`)
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
      throw new Error(`${fileName}:${line}: text after a closing quote`)
    }
    return field
  }
}
