const maxHeaderBytes = 4 * 1024
const truncatedLength = 256

/** Returns a `Warning` header for each text. Truncates long texts only if all headers together would exceed the size that clients accept. */
export function warningHeaders(texts: Iterable<string>): string[] {
  const headers: string[] = []
  let bytes = 0
  for (const text of texts) headers.push(warningHeader(text))
  for (const header of headers) bytes += header.length
  if (bytes <= maxHeaderBytes) return headers
  bytes = 0
  const truncatedHeaders: string[] = []
  for (const text of texts) {
    const header = warningHeader(text.length > truncatedLength ? text.slice(0, truncatedLength) : text)
    if (bytes + header.length > maxHeaderBytes) break
    bytes += header.length
    truncatedHeaders.push(header)
  }
  return truncatedHeaders
}

function warningHeader(text: string): string {
  return `299 - ${quote(text)}`
}

/**
 * Formats a text as a quoted string (RFC 7230). Control characters become spaces. Other characters are encoded as UTF-8 bytes, because Node
 * writes headers in Latin-1.
 */
function quote(text: string): string {
  // eslint-disable-next-line no-control-regex
  const clean = text.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/[\\"]/g, '\\$&')
  return `"${Buffer.from(clean, 'utf8').toString('latin1')}"`
}
