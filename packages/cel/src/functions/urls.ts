import { EntryMap } from '../values/map.ts'
import { CelError, noSuchOverload, OpaqueValue, createConversionError } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementations } from './implementation.ts'
import { parseUrl, unescapeQuery, unescapeUrl } from './parse-url.ts'
import type { UrlParts } from './parse-url.ts'

/** Maximum number of query parameters, as in Go. */
const maxParameters = 10_000

class Url extends OpaqueValue {
  readonly typeName = 'kubernetes.URL'
  readonly components: UrlParts

  constructor(components: UrlParts) {
    super()
    this.components = components
  }

  override reread(): CelError {
    return createConversionError('*url.URL', this.toString())
  }

  equals(other: Value): boolean | CelError {
    if (other instanceof CelError) return other
    return other instanceof Url ? this.toString() === other.toString() : noSuchOverload
  }

  get hostname(): string {
    const { host } = this.components
    const withoutPort = this.port === undefined ? host : host.slice(0, host.lastIndexOf(':'))
    return withoutPort.startsWith('[') && withoutPort.endsWith(']') ? withoutPort.slice(1, -1) : withoutPort
  }

  /** The port; undefined if the host contains no colon. */
  get port(): string | undefined {
    return /:([0-9]*)$/.exec(this.components.host)?.[1]
  }

  get escapedPath(): string {
    const { path } = this.components
    if (path === '*' || /^[A-Za-z0-9\-._~!$&'()*+,;=:@[\]%/]*$/.test(path)) return path
    return escape(unescapeUrl(path, 'path'), escapedInPath)
  }

  override toString(): string {
    const { scheme, opaque, user, host, query, hasQuery, fragment } = this.components
    const address = (user === undefined ? '' : `${user}@`) + escape(host, escapedInHost)
    const authority = address === '' ? '' : `//${address}`
    const location = opaque === '' ? authority + this.escapedPath : opaque
    const written = validFragment.test(fragment) ? fragment : escape(unescapeUrl(fragment, 'fragment'), escapedInFragment)
    return decodeUtf8(
      `${scheme === '' ? '' : `${scheme}:`}${location}${hasQuery ? `?${query}` : ''}${fragment === '' ? '' : `#${written}`}`,
    )
  }
}

/** Replaces the bytes that match `escaped` by `%xx`. */
function escape(bytes: string, escaped: RegExp): string {
  return bytes.replace(escaped, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}

const escapedInPath = /[^A-Za-z0-9\-._~$&+,/:;=@]/g
const escapedInHost = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/g
const escapedInFragment = /[^A-Za-z0-9\-._~$&+,/:;=?@!()*]/g
const validFragment = /^[A-Za-z0-9\-._~!$&'()*+,;=:@[\]%/?]*$/

/** Decodes UTF-8 text whose bytes are given as characters (U+0000 to U+00FF). */
function decodeUtf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString()
}

function parseUrlQuery({ components }: Url): Value {
  const values = new Map<string, string[]>()
  const pairs = components.query === '' ? [] : components.query.split('&')
  for (const pair of pairs.length > maxParameters ? [] : pairs) {
    if (pair === '' || pair.includes(';')) continue
    const equals = pair.indexOf('=')
    const name = unescapeQuery(equals < 0 ? pair : pair.slice(0, equals))
    const value = unescapeQuery(equals < 0 ? '' : pair.slice(equals + 1))
    if (name === undefined || value === undefined) continue
    const existing = values.get(name)
    if (existing === undefined) values.set(name, [value])
    else existing.push(value)
  }
  const map = new EntryMap()
  for (const [name, list] of values) map.set(name, list)
  return map
}

function toUrl(text: string): Value {
  const problem = parseUrl(text)
  const url = typeof problem === 'string' ? problem : parseUrl(text, { hasFragment: true })
  return typeof url === 'string' ? new CelError(`URL parse error during conversion from string: ${url}`) : new Url(url)
}

/** URL functions. */
export const urls: Implementations = {
  is_url_string: adaptTypes((text: string) => typeof parseUrl(text) !== 'string'),
  string_to_url: adaptTypes(toUrl),
  url_get_escaped_path: adaptTypes(({ escapedPath }: Url) => decodeUtf8(escapedPath)),
  url_get_host: adaptTypes(({ components: parts }: Url) => decodeUtf8(parts.host)),
  url_get_hostname: adaptTypes(({ hostname }: Url) => decodeUtf8(hostname)),
  url_get_port: adaptTypes(({ port }: Url) => port ?? ''),
  url_get_query: adaptTypes(parseUrlQuery),
  url_get_scheme: adaptTypes(({ components: parts }: Url) => parts.scheme),
}
