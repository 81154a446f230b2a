import type { InstallerContext } from './context.ts'

const maxHeaderBytes = 4 * 1024
const truncatedLength = 256

/** The `warn` of a request's context: each text once, as a `Warning: 299` header, until the answer's head is sent. */
export function createWarner(c: InstallerContext): (text: string) => void {
  let full = false
  return (text) => {
    if (text === '' || full) return
    const sent = c.get('warnings') ?? new Set<string>()
    if (sent.has(text)) return
    sent.add(text)
    c.set('warnings', sent)
    const headers = warningHeaders(sent)
    // What no longer fits will not fit later either: a body may bring a hundred thousand of them.
    full = headers.length < sent.size
    writeHeaders(c, headers)
  }
}

/** Long texts are cut only when all together would exceed what clients accept as headers. */
export function warningHeaders(texts: Iterable<string>): string[] {
  const headers: string[] = []
  let bytes = 0
  for (const text of texts) headers.push(warningHeader(text))
  for (const header of headers) bytes += header.length
  if (bytes <= maxHeaderBytes) return headers
  bytes = 0
  const cut: string[] = []
  for (const text of texts) {
    const header = warningHeader(text.length > truncatedLength ? text.slice(0, truncatedLength) : text)
    if (bytes + header.length > maxHeaderBytes) break
    bytes += header.length
    cut.push(header)
  }
  return cut
}

function warningHeader(text: string): string {
  return `299 - ${quote(text)}`
}

/** An RFC 7230 quoted string; control characters become spaces, what is not Latin-1 becomes UTF-8 bytes as node writes headers in Latin-1. */
function quote(text: string): string {
  // eslint-disable-next-line no-control-regex
  const clean = text.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/[\\"]/g, '\\$&')
  return `"${Buffer.from(clean, 'utf8').toString('latin1')}"`
}

function writeHeaders(c: InstallerContext, headers: readonly string[]): void {
  const outgoing = c.env?.outgoing
  if (outgoing === undefined) {
    headers.forEach((header, index) => c.header('Warning', header, { append: index > 0 }))
  } else if (!outgoing.headersSent) {
    outgoing.setHeader('Warning', headers)
  }
}
