/** Indents compact JSON by two spaces per level. Works on the text, so that numbers keep their notation. */
export function indentJson(json: string): string {
  const chunks: string[] = []
  let depth = 0
  let from = 0
  const newLine = (at: number, skip: number): void => {
    chunks.push(json.slice(from, at), '\n', '  '.repeat(depth))
    from = at + skip
  }
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case quote:
        at = endOfString(json, at)
        break
      case openBrace:
      case openBracket:
        // Empty objects and arrays stay on one line.
        if (json[at + 1] === '}' || json[at + 1] === ']') {
          at++
          break
        }
        depth++
        newLine(at + 1, 0)
        break
      case closeBrace:
      case closeBracket:
        depth--
        newLine(at, 0)
        break
      case comma:
        newLine(at + 1, 0)
        break
      case colon:
        chunks.push(json.slice(from, at + 1), ' ')
        from = at + 1
        break
    }
  }
  chunks.push(json.slice(from))
  return chunks.join('')
}

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** Returns the index of the closing quote of a string. */
function endOfString(json: string, at: number): number {
  for (;;) {
    at = json.indexOf('"', at + 1)
    let slashes = 0
    while (json[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at
  }
}
