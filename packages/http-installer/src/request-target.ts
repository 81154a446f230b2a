import type { InstallerContext } from './context.ts'

/** A request's target, taken apart. What decides about a request and what serves it must both read it here, or they may mean different things. */
export interface RequestTarget {
  /** Decoded once. Dots and double slashes stay as they are: a path that is written otherwise is another path. */
  readonly path: string
  /** The path's, so that nobody has to split it again: "/a/b" and "/a/b/" have the same. */
  readonly segments: readonly string[]
  /** Behind the `?`, as sent. */
  readonly query: string
}

// One request's target is read by the server's chain, by the dispatch and for the query, one after the other.
let lastTarget = '/'
let lastParsed: RequestTarget = { path: '/', segments: [], query: '' }

/** "/api/v1/pods?watch=1", or with scheme and host before it, as proxies are asked. Throws `URIError` for anything else and for broken escapes. */
export function parseTarget(target: string): RequestTarget {
  if (target !== lastTarget) {
    lastParsed = parse(target)
    lastTarget = target
  }
  return lastParsed
}

function parse(target: string): RequestTarget {
  const origin = target.charCodeAt(0) === 47 ? target : originForm(target)
  const question = origin.indexOf('?')
  const sent = question < 0 ? origin : origin.slice(0, question)
  const path = sent.includes('%') ? decodeURIComponent(sent) : sent
  return { path, segments: segmentsOf(path), query: question < 0 ? '' : origin.slice(question + 1) }
}

function segmentsOf(path: string): readonly string[] {
  const inner = path.slice(1, path.endsWith('/') ? -1 : undefined)
  return inner === '' ? [] : inner.split('/')
}

function originForm(target: string): string {
  const absolute = /^https?:\/\/[^/?]+/i.exec(target)
  if (absolute === null) throw new URIError('a request target begins with a slash or with http')
  const rest = target.slice(absolute[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Without a node request, as in `app.request()`, the URL's own parts. Throws `URIError`. */
export function targetOf(c: InstallerContext): RequestTarget {
  return parseTarget(c.env?.incoming?.url ?? c.req.url)
}

/** More of them mean none at all, as in the original; it also keeps every look at them short. */
const maxParameters = 10_000
const brokenEscape = /%(?![0-9a-f]{2})/i

/** What may be asked of a query's parameters. */
export type QueryParameters = Pick<URLSearchParams, 'get' | 'getAll' | 'has' | 'size' | typeof Symbol.iterator>

/** Most requests have none; the class looks at each name it is asked for as if there were some. */
const noParameters: QueryParameters = {
  get: () => null,
  getAll: () => [],
  has: () => false,
  size: 0,
  [Symbol.iterator]: () => new URLSearchParams()[Symbol.iterator](),
}

/** The parameters of a query. Those that hold a semicolon or a broken escape are left out, as the original does. */
export function parseQuery(query: string): QueryParameters {
  if (query === '' || parameterCount(query) > maxParameters) return noParameters
  const readable = /[;%]/.test(query) ? query.split('&').filter(isReadable).join('&') : query
  // The class drops a leading question mark; here it is part of the first name.
  return new URLSearchParams(readable.startsWith('?') ? `&${readable}` : readable)
}

function isReadable(parameter: string): boolean {
  return !parameter.includes(';') && !brokenEscape.test(parameter)
}

function parameterCount(query: string): number {
  let count = 1
  for (let at = query.indexOf('&'); at >= 0 && count <= maxParameters; at = query.indexOf('&', at + 1)) count++
  return count
}
