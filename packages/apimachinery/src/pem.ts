/** A block of a PEM text. */
export interface PemBlock {
  readonly label: string
  /** All of it, with the lines that begin and end it. */
  readonly text: string
  /** What stands between those two lines. */
  readonly body: string
}

const begin = '-----BEGIN '
const end = '-----END '
const dashes = '-----'

/**
 * The blocks of a PEM text, in its order; everything else is passed over, as Go's `pem.Decode` does it: both markers stand at the beginning of a line,
 * and a block whose next end has another label is none. Each line is looked at once, so the time is linear.
 */
export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = []
  let open: { readonly label: string; readonly start: number; readonly bodyStart: number } | undefined
  let start = 0
  while (start < text.length) {
    const lineEnd = text.indexOf('\n', start)
    const behind = lineEnd < 0 ? text.length : lineEnd + 1
    if (text.startsWith(dashes, start)) {
      const line = text.slice(start, lineEnd < 0 ? undefined : lineEnd).trimEnd()
      if (line.startsWith(begin) && line.endsWith(dashes)) {
        // Only the last beginning before an end counts: a body with such a line in it is not base64.
        open = { label: line.slice(begin.length, -dashes.length), start, bodyStart: behind }
      } else if (line.startsWith(end) && open !== undefined) {
        if (line === `${end}${open.label}${dashes}`) {
          blocks.push({ label: open.label, text: text.slice(open.start, start + line.length), body: text.slice(open.bodyStart, start) })
        }
        open = undefined
      }
    }
    start = behind
  }
  return blocks
}
