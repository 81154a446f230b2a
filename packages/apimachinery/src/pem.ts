/** A block of a PEM text, such as a certificate or a key. */
export interface PemBlock {
  readonly label: string
  /** The whole block with its BEGIN and END lines. */
  readonly text: string
  /** The text between the BEGIN and END lines. */
  readonly body: string
}

const begin = '-----BEGIN '
const end = '-----END '
const dashes = '-----'

/**
 * Returns the blocks of a PEM text and skips other text, like Go's `pem.Decode`. Both markers must be at the start of a line. A block whose next
 * END line has another label is skipped. Runs in linear time, because each line is visited once.
 */
export function parsePemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = []
  let open: { readonly label: string; readonly start: number; readonly bodyStart: number } | undefined
  let start = 0
  while (start < text.length) {
    const lineEnd = text.indexOf('\n', start)
    const nextLine = lineEnd < 0 ? text.length : lineEnd + 1
    if (text.startsWith(dashes, start)) {
      const line = text.slice(start, lineEnd < 0 ? undefined : lineEnd).trimEnd()
      if (line.startsWith(begin) && line.endsWith(dashes)) {
        // A BEGIN line replaces the previous one, because a body cannot contain such a line.
        open = { label: line.slice(begin.length, -dashes.length), start, bodyStart: nextLine }
      } else if (line.startsWith(end) && open !== undefined) {
        if (line === `${end}${open.label}${dashes}`) {
          blocks.push({ label: open.label, text: text.slice(open.start, start + line.length), body: text.slice(open.bodyStart, start) })
        }
        open = undefined
      }
    }
    start = nextLine
  }
  return blocks
}
