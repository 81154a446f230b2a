/** Names of headers that carry an identity. They are case-insensitive. A trailing `*` is a wildcard. */
export type IdentityHeaders = readonly string[]

/** The headers that front proxies conventionally set. kube-apiserver removes them whether or not it is configured to read them. */
const standardHeaders: IdentityHeaders = ['X-Remote-User', 'X-Remote-Uid', 'X-Remote-Group', 'X-Remote-Extra-*']

interface RequestHeaders {
  readonly headers: Record<string, unknown>
  readonly rawHeaders: string[]
}

/**
 * Returns a function that removes the standard front proxy headers and `additionalHeaders` from a request. Handlers and servers behind a proxy could
 * otherwise trust identities that the client made up.
 */
export function createIdentityHeaderRemover(additionalHeaders: IdentityHeaders = []): (request: RequestHeaders) => void {
  const headerNames = [...standardHeaders, ...additionalHeaders].map((name) => name.toLowerCase())
  const names = new Set(headerNames.filter((name) => !name.endsWith('*')))
  const prefixes = headerNames.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
  // The first letters of the prefixes. They rule out most header names quickly, because this runs for every request. An empty prefix
  // matches every name.
  const firstLetters = new Uint8Array(128).fill(prefixes.includes('') ? 1 : 0)
  for (const name of [...names, ...prefixes]) firstLetters[name.charCodeAt(0) & 127] = 1

  return ({ headers, rawHeaders }) => {
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
      const code = rawHeaders[i]!.charCodeAt(0)
      if (firstLetters[(code >= 65 && code <= 90 ? code | 32 : code) & 127] === 0) continue
      const name = rawHeaders[i]!.toLowerCase()
      if (!names.has(name) && !prefixes.some((prefix) => name.startsWith(prefix))) continue
      delete headers[name]
      rawHeaders.splice(i, 2)
      i -= 2
    }
  }
}

/** Decodes a header value as UTF-8, as Go does. Node decodes header values as Latin-1. */
export function decodeHeaderValue(value: string): string {
  // oxlint-disable-next-line no-control-regex
  return /^[\x00-\x7f]*$/.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8')
}

/** Decodes the `%` escapes in the name of an extra header. Names with malformed escapes stay unchanged; they still need authorization. */
export function unescapeExtraKey(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
