/** Length of the pieces of a long value, in characters. */
const pieceLength = 16 * 1024

/** Writes a value as JSON, in pieces. Work between two pieces is short even if the value is large. */
export function* writeJsonPieces(value: unknown): Generator<string> {
  const writer = { text: '' }
  yield* write(value, writer)
  yield writer.text
}

/** Returns a value as JSON, including integers of any size. */
export function formatJson(value: unknown): string {
  return [...writeJsonPieces(value)].join('')
}

function* write(value: unknown, writer: { text: string }): Generator<string> {
  if (typeof value !== 'object' || value === null) writer.text += typeof value === 'bigint' ? String(value) : JSON.stringify(value)
  else if (Array.isArray(value)) {
    writer.text += '['
    for (const [i, item] of value.entries()) {
      if (i > 0) writer.text += ','
      yield* write(item, writer)
    }
    writer.text += ']'
  } else {
    let separator = '{'
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue
      writer.text += `${separator}${JSON.stringify(name)}:`
      separator = ','
      yield* write(member, writer)
    }
    writer.text += separator === '{' ? '{}' : '}'
  }
  if (writer.text.length >= pieceLength) {
    yield writer.text
    writer.text = ''
  }
}
