import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { websocketTokenProtocol } from '@keelson/apimachinery/httpstream'

type Incoming = IncomingMessage | Http2ServerRequest

/** Hop-by-hop headers, which concern a single connection and are not forwarded. */
const hopByHop = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** CORS headers, which are removed from responses of a backend. Otherwise the backend could allow access to this server's origin. */
const corsHeaders = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
])

export type HeaderList = readonly (readonly [name: string, value: string])[]

/** Returns the headers of a request to forward. Credentials for this server are removed. */
export function selectForwardedHeaders(incoming: Incoming): HeaderList {
  const headers: [string, string][] = []
  const raw = incoming.rawHeaders
  let forwardedFor: string | undefined
  let host: string | undefined
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!
    const value = raw[i + 1]!
    const lower = name.toLowerCase()
    if (lower === ':authority') host = value
    if (lower.startsWith(':') || lower === 'authorization' || lower.startsWith('impersonate-') || lower === 'expect') continue
    if (lower === 'x-forwarded-for') forwardedFor = forwardedFor === undefined ? value : `${forwardedFor}, ${value}`
    else if (lower === 'sec-websocket-protocol') {
      const protocols = splitList(value).filter((protocol) => !protocol.startsWith(websocketTokenProtocol))
      if (protocols.length > 0) headers.push([name, protocols.join(', ')])
    } else headers.push([name, value])
  }
  if (host !== undefined && !headers.some(([name]) => name.toLowerCase() === 'host')) headers.unshift(['Host', host])
  const peer = incoming.socket.remoteAddress
  const chain = [forwardedFor, peer].filter((part) => part !== undefined).join(', ')
  if (chain !== '') headers.push(['X-Forwarded-For', chain])
  return headers
}

/** Removes hop-by-hop headers, including those that the header Connection lists. */
export function withoutHopByHop(headers: HeaderList): HeaderList {
  const listed = findListedHeaders(headers)
  return headers.filter(([name]) => {
    const lower = name.toLowerCase()
    return !hopByHop.has(lower) && listed?.has(lower) !== true
  })
}

function findListedHeaders(headers: HeaderList): Set<string> | undefined {
  let listed: Set<string> | undefined
  for (const [name, value] of headers) {
    if (name.length === 10 && name.toLowerCase() === 'connection') listed = addListedHeaders(listed, value)
  }
  return listed
}

/** Adds the names in a header Connection. Most have no name, but an option that is also the name of a hop-by-hop header. */
function addListedHeaders(listed: Set<string> | undefined, value: string): Set<string> | undefined {
  if (hopByHop.has(value)) return listed
  const names = listed ?? new Set()
  for (const option of splitList(value.toLowerCase())) names.add(option)
  return names
}

/** Lists the headers of a response that are forwarded, as alternating names and values: neither hop-by-hop nor CORS. */
export function listAnswerHeaders(raw: readonly string[]): string[] {
  const list: string[] = []
  let listed: Set<string> | undefined
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!
    const lower = name.toLowerCase()
    if (lower === 'connection') listed = addListedHeaders(listed, raw[i + 1]!)
    if (!lower.startsWith(':') && !hopByHop.has(lower) && !corsHeaders.has(lower)) list.push(name, raw[i + 1]!)
  }
  if (listed === undefined) return list
  return listPairs(list)
    .filter(([name]) => !listed.has(name.toLowerCase()))
    .flat()
}

export function listPairs(raw: readonly string[]): HeaderList {
  const list: [string, string][] = []
  for (let i = 0; i + 1 < raw.length; i += 2) list.push([raw[i]!, raw[i + 1]!])
  return list
}

export function without(headers: HeaderList, ...names: readonly string[]): HeaderList {
  return headers.filter(([name]) => !names.includes(name.toLowerCase()))
}

export function splitList(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Converts headers to an object, the format that both kinds of Node's responses accept. Several values of a name become an array. */
export function toHeaderObject(headers: HeaderList): Record<string, string | string[]> {
  const object: Record<string, string | string[]> = {}
  const names = new Map<string, string>()
  for (const [name, value] of headers) {
    const firstSpelling = names.get(name.toLowerCase())
    if (firstSpelling === undefined) {
      names.set(name.toLowerCase(), name)
      object[name] = value
    } else object[firstSpelling] = [object[firstSpelling] ?? [], value].flat()
  }
  return object
}

/** Returns whether a request has a body, also one that may turn out to be empty. */
export function hasBody(incoming: Incoming): boolean {
  const { headers } = incoming
  const length = headers['content-length']
  if (length !== undefined) return length !== '0'
  if (incoming.httpVersionMajor < 2) return headers['transfer-encoding'] !== undefined
  return !(incoming as unknown as { readonly stream: { readonly endAfterHeaders: boolean } }).stream.endAfterHeaders
}
