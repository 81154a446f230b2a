import { quote } from '@keelson/apimachinery'
import { AddressError, parseAddress } from './ip-address.ts'

/** The parts of a URL like those of Go's net/url package. Each character is one byte (U+0000 to U+00FF). */
export interface UrlParts {
  readonly scheme: string
  readonly opaque: string
  readonly user: string | undefined
  readonly host: string
  /** The path with its escapes. */
  readonly path: string
  readonly query: string
  readonly hasQuery: boolean
  /** The fragment with its escapes. */
  readonly fragment: string
}

class UrlError extends Error {}

/** Characters that a host may contain unescaped. An IPv6 zone may contain their escapes. */
const hostCharacters = /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/
const checkedInHost = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\u00ff]/g

/**
 * Parses an absolute URL or an absolute path like Go's url.ParseRequestURI. Returns Go's error message if the text is not valid. With
 * `hasFragment`, the text after `#` is the fragment.
 */
export function parseUrl(text: string, { hasFragment = false }: { readonly hasFragment?: boolean } = {}): UrlParts | string {
  const bytes = Buffer.from(text).toString('latin1')
  const hash = hasFragment ? bytes.indexOf('#') : -1
  const [main, fragment] = hash < 0 ? [bytes, ''] : [bytes.slice(0, hash), bytes.slice(hash + 1)]
  try {
    unescapeUrl(fragment, 'fragment')
    return { ...parse(main, !hasFragment), fragment }
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    return `parse ${quote(Buffer.from(main, 'latin1').toString())}: ${error.message}`
  }
}

function parse(text: string, isRequest: boolean): Omit<UrlParts, 'fragment'> {
  if (hasControlCharacter(text)) throw new UrlError('net/url: invalid control character in URL')
  if (text === '' && isRequest) throw new UrlError('empty url')
  const none = { scheme: '', opaque: '', user: undefined, host: '', path: '', query: '', hasQuery: false }
  if (text === '*') return { ...none, path: '*' }
  const scheme = parseScheme(text)
  const [beforeQuery, query, hasQuery] = splitQuery(scheme === '' ? text : text.slice(scheme.length + 1))
  const url = { ...none, scheme: scheme.toLowerCase(), query, hasQuery }
  if (!beforeQuery.startsWith('/')) {
    if (scheme !== '') return { ...url, opaque: beforeQuery }
    if (isRequest) throw new UrlError('invalid URI for request')
    if (beforeQuery.split('/', 1)[0]!.includes(':')) throw new UrlError('first path segment in URL cannot contain colon')
  }
  const hasAuthority = (scheme !== '' || (!isRequest && !beforeQuery.startsWith('///'))) && beforeQuery.startsWith('//')
  const slash = hasAuthority ? beforeQuery.indexOf('/', 2) : 0
  const authority = hasAuthority ? beforeQuery.slice(2, slash < 0 ? undefined : slash) : ''
  const path = slash < 0 ? '' : beforeQuery.slice(slash)
  const userAndHost = parseAuthority(url.scheme, authority)
  unescapeUrl(path, 'path')
  return { ...url, ...userAndHost, path }
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

function parseScheme(text: string): string {
  if (text.startsWith(':')) throw new UrlError('missing protocol scheme')
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? ''
}

function splitQuery(text: string): readonly [before: string, query: string, hasQuery: boolean] {
  const mark = text.indexOf('?')
  return mark < 0 ? [text, '', false] : [text.slice(0, mark), text.slice(mark + 1), true]
}

function parseAuthority(scheme: string, authority: string): { readonly user: string | undefined; readonly host: string } {
  const at = authority.lastIndexOf('@')
  const host = parseHost(scheme, authority.slice(at + 1))
  if (at < 0) return { user: undefined, host }
  const user = authority.slice(0, at)
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) throw new UrlError('net/url: invalid userinfo')
  return {
    user: user
      .split(':', 2)
      .map((part) => unescapeUrl(part, 'user'))
      .join(':'),
    host,
  }
}

function parseHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf('[')
  if (bracket > 0) throw new UrlError('invalid IP-literal')
  if (bracket === 0) return parseLiteral(host)
  const first = host.indexOf(':')
  if (first >= 0) {
    const isStrict = scheme === 'http' || scheme === 'https'
    checkPort(host.slice(isStrict ? first : host.lastIndexOf(':')))
  }
  return unescapeUrl(host, 'host')
}

function parseLiteral(host: string): string {
  const close = host.lastIndexOf(']')
  if (close < 0) throw new UrlError("missing ']' in host")
  const port = host.slice(close + 1)
  checkPort(port)
  const name = host.slice(1, close)
  const zone = name.indexOf('%25')
  const address = zone < 0 ? unescapeUrl(name, 'host') : unescapeUrl(name.slice(0, zone), 'host') + unescapeUrl(name.slice(zone), 'zone')
  checkLiteral(address)
  return `[${address}]${unescapeUrl(port, 'host')}`
}

function checkLiteral(address: string): void {
  try {
    if (parseAddress(address).bytes.length === 4) throw new UrlError('invalid IP-literal')
  } catch (error) {
    if (error instanceof AddressError) throw new UrlError(`invalid host: ${error.message}`)
    throw error
  }
}

function checkPort(text: string): void {
  if (!/^(?::[0-9]*)?$/.test(text)) throw new UrlError(`invalid port ${quote(text)} after host`)
}

type Part = 'path' | 'query' | 'user' | 'fragment' | 'host' | 'zone'

/** Replaces `%xx` escapes by bytes. Throws for invalid escapes. */
export function unescapeUrl(text: string, part: Part): string {
  const checked = part === 'host' || part === 'zone' ? checkedInHost : /%/g
  for (const { 0: character, index } of text.matchAll(checked)) {
    if (character !== '%') throw new UrlError(`invalid character ${quote(character)} in host name`)
    checkEscape(text.slice(index, index + 3), part)
  }
  const plain = part === 'query' ? text.replaceAll('+', ' ') : text
  return plain.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function checkEscape(escape: string, part: Part): void {
  const invalid = new UrlError(`invalid URL escape ${quote(escape)}`)
  if (!/^%[0-9a-fA-F]{2}$/.test(escape)) throw invalid
  const code = Number.parseInt(escape.slice(1), 16)
  if (part === 'host' && code < 0x80 && escape !== '%25') throw invalid
  if (part === 'zone' && escape !== '%25' && code !== 0x20 && !hostCharacters.test(String.fromCharCode(code))) throw invalid
}

/** Returns the unescaped text; undefined if an escape is invalid. */
export function unescapeQuery(text: string): string | undefined {
  try {
    return Buffer.from(unescapeUrl(text, 'query'), 'latin1').toString()
  } catch (error) {
    if (error instanceof UrlError) return undefined
    throw error
  }
}
