import { posix } from 'node:path'
import type { UserInfo } from '@keelson/apimachinery'
import type { Exchange } from '@keelson/exchange'
import { escapePath, listPairs, selectForwardedHeaders, withoutHopByHop } from '@keelson/http-installer'
import type { HeaderList } from '@keelson/http-installer'
import { OutboundError } from '@keelson/outbound'

/** Headers that this server sets on every forwarded request. Values that the client sent are dropped. */
const identityHeaders: ReadonlySet<string> = new Set(['host', 'audit-id', 'x-remote-user', 'x-remote-uid', 'x-remote-group'])
const extraPrefix = 'x-remote-extra-'
/** Headers with the URL of the request, which this server also sets unless the protocol changes. */
const urlHeaders: ReadonlySet<string> = new Set(['x-forwarded-uri', 'x-forwarded-host', 'x-forwarded-proto'])

/** Creates the headers of a request that is forwarded over a pooled connection, as alternating names and values. Omits `Host`. */
export function createForwardedHeaders(exchange: Exchange, authority: string): string[] {
  const list: string[] = []
  for (const [name, value] of withoutHopByHop(selectForwardedHeaders(exchange.createNodeStreams().incoming))) {
    const lower = name.toLowerCase()
    if (!isIdentityHeader(lower) && !urlHeaders.has(lower)) list.push(name, value)
  }
  list.push('X-Forwarded-Uri', createForwardedUri(exchange.target.path), 'X-Forwarded-Host', authority, 'X-Forwarded-Proto', 'https')
  addIdentity(list, exchange)
  return list
}

/** Creates the headers of a request that changes the protocol. They include the headers of the connection. */
export function createUpgradeHeaders(exchange: Exchange, authority: string): HeaderList {
  const headers = selectForwardedHeaders(exchange.createNodeStreams().incoming).filter(([name]) => !isIdentityHeader(name.toLowerCase()))
  const identity: string[] = []
  addIdentity(identity, exchange)
  return [['Host', authority], ...headers, ...listPairs(identity)]
}

function isIdentityHeader(name: string): boolean {
  return identityHeaders.has(name) || name.startsWith(extraPrefix)
}

/** Adds the user of the request and its audit id. The server behind trusts them because of the client certificate. */
function addIdentity(list: string[], { user, requestId }: Exchange): void {
  if (requestId !== '') list.push('Audit-Id', requestId)
  addUserHeaders(list, user)
}

/**
 * Adds the headers with a user's name, UID, groups and extra fields. Throws an `OutboundError` for a value that no header can carry, such as one
 * with a line break.
 */
export function addUserHeaders(list: string[], { name, uid = '', groups, extra }: UserInfo): void {
  list.push('X-Remote-User', encodeValue('X-Remote-User', name))
  if (uid !== '') list.push('X-Remote-Uid', encodeValue('X-Remote-Uid', uid))
  for (const group of groups) list.push('X-Remote-Group', encodeValue('X-Remote-Group', group))
  for (const key in extra) {
    const header = `X-Remote-Extra-${escapeKey(key)}`
    for (const value of extra[key]!) list.push(header, encodeValue(header, value))
  }
}

const plainValue = /^[\t\x20-\x7e]*$/
// oxlint-disable-next-line no-control-regex
const control = /[\x00-\x08\x0a-\x1f\x7f]/

/** Encodes text as UTF-8, as Go does. Node sends each character of a header value as one byte. */
function encodeValue(header: string, value: string): string {
  if (plainValue.test(value)) return value
  if (control.test(value)) throw new OutboundError('protocol', `net/http: invalid header field value for ${JSON.stringify(header)}`)
  return Buffer.from(value, 'utf8').toString('latin1')
}

const plainKey = /^[\w!#$&'*+.^`|~-]*$/
const plainByte = /[\w!#$&'*+.^`|~-]/

/** Escapes the bytes of a key that a header name may not contain. */
function escapeKey(key: string): string {
  if (plainKey.test(key)) return key
  let escaped = ''
  for (const byte of Buffer.from(key, 'utf8')) {
    const character = String.fromCharCode(byte)
    escaped += byte < 128 && plainByte.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return escaped
}

/** Returns the path for the header X-Forwarded-Uri, without empty and dot segments. */
function createForwardedUri(path: string): string {
  const escaped = escapePath(path)
  return escaped.includes('//') || escaped.includes('/.') ? posix.join(escaped) : escaped
}
