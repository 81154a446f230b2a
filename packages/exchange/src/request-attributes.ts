import { parseFieldSelector, parseInt64, parseLabelSelector } from '@keelson/apimachinery'
import type { RequestInfo } from '@keelson/apimachinery'

/**
 * The target of a request ("/api/v1/pods?watch=1"), split into its parts. It is split only once, so that authorization and routing use the same
 * parts.
 */
export interface RequestTarget {
  /** The target as the client sent it. */
  readonly text: string
  /** The decoded path. Dots and double slashes are kept, because they are part of the path. */
  readonly path: string
  /** The segments of `path`. A trailing slash adds no segment. */
  readonly segments: readonly string[]
  /** The text after the `?`, still encoded. */
  readonly query: string
}

/** The target of requests whose real target `parseTarget` rejects. */
export const malformedTarget: RequestTarget = { text: '', path: '/', segments: [], query: '' }

/**
 * Parses a request target such as "/api/v1/pods?watch=1". Proxies may send it with scheme and host. Throws `URIError` for any other text and for
 * invalid escapes.
 */
export function parseTarget(text: string): RequestTarget {
  const origin = text.charCodeAt(0) === 47 ? text : toOriginForm(text)
  const queryStart = origin.indexOf('?')
  const encodedPath = queryStart < 0 ? origin : origin.slice(0, queryStart)
  const path = encodedPath.includes('%') ? decodeURIComponent(encodedPath) : encodedPath
  return { text, path, segments: splitSegments(path), query: queryStart < 0 ? '' : origin.slice(queryStart + 1) }
}

function splitSegments(path: string): readonly string[] {
  const inner = path.slice(1, path.endsWith('/') ? -1 : undefined)
  return inner === '' ? [] : inner.split('/')
}

function toOriginForm(target: string): string {
  const absolute = /^https?:\/\/[^/?]+/i.exec(target)
  if (absolute === null) throw new URIError('a request target must start with a slash or with http')
  const afterHost = target.slice(absolute[0].length)
  return afterHost.startsWith('/') ? afterHost : `/${afterHost}`
}

/** The parsed parameters of a query string. */
export type QueryParameters = Pick<URLSearchParams, 'get' | 'getAll' | 'has' | 'size' | typeof Symbol.iterator>

/**
 * Maximum number of query parameters. As in kube-apiserver, a query with more parameters is treated as empty. The limit also bounds the time of
 * lookups.
 */
const maxParameters = 10_000
const brokenEscape = /%(?![0-9a-f]{2})/i

/** The parameters of an empty query. This object is faster than `URLSearchParams`, which searches its list even if it is empty. */
const noParameters: QueryParameters = {
  get: () => null,
  getAll: () => [],
  has: () => false,
  size: 0,
  [Symbol.iterator]: () => new URLSearchParams()[Symbol.iterator](),
}

/** Parses the query string, which is the text after the `?`. Like kube-apiserver, drops parameters that contain a semicolon or an invalid escape. */
export function parseQuery(query: string): QueryParameters {
  if (query === '' || countParameters(query) > maxParameters) return noParameters
  const readable = /[;%]/.test(query) ? query.split('&').filter(isReadable).join('&') : query
  // URLSearchParams would drop a leading question mark, but here it belongs to the name of the first parameter.
  return new URLSearchParams(readable.startsWith('?') ? `&${readable}` : readable)
}

function isReadable(parameter: string): boolean {
  return !parameter.includes(';') && !brokenEscape.test(parameter)
}

function countParameters(query: string): number {
  let count = 1
  for (let at = query.indexOf('&'); at >= 0 && count <= maxParameters; at = query.indexOf('&', at + 1)) count++
  return count
}

/** Thrown for a URL that is not a valid API request, such as "/api/v1/watch". */
export class RequestInfoError extends Error {
  override readonly name = 'RequestInfoError'
}

/** The meaning of a URL for authorizers and other users of `RequestInfo`, with two more members for routing. */
export interface RequestAttributes extends RequestInfo {
  /** The verb that precedes the resource in deprecated paths such as "/api/v1/watch/pods"; empty for other paths. */
  readonly pathVerb: '' | 'watch' | 'proxy'
  /** True if the path has `namespaces/NAMESPACE/` before the resource. */
  readonly inNamespace: boolean
}

const noSegments: readonly string[] = []
const apiPrefixes = new Set(['api', 'apis'])
const namespaceSubresources = new Set(['status', 'finalize'])
const verbsWithSelectors = new Set(['list', 'watch', 'deletecollection'])
/** Verbs by HTTP method. A Map instead of an object, because HTTP/2 allows any method name, including the names of Object.prototype members. */
const verbsByMethod: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])

/** Attributes of a request before its URL is interpreted. */
export const noAttributes: RequestAttributes = createNonResource('', '/', '')

/**
 * Interprets the URL and the method of a request. Routing, authorizers, admission and metrics use the result. Resource requests have these
 * forms:
 *
 *     /api/VERSION/[watch|proxy/]RESOURCE[/NAME[/SUBRESOURCE]]
 *     /api/VERSION/[watch|proxy/]namespaces/NAMESPACE/RESOURCE[/NAME[/SUBRESOURCE]]
 *     /apis/GROUP/VERSION/… with the same rest
 *
 * Any other path is a non-resource request. Throws `RequestInfoError` for a path that ends with `watch` or `proxy`.
 */
export function parseRequestInfo(method: string, target: RequestTarget, query: QueryParameters): RequestAttributes {
  const segments = withoutOuterSlashes(target.segments)
  if (segments.length < 3 || !apiPrefixes.has(segments[0]!)) return createNonResource(method, target.path, '')
  const apiPrefix = segments[0]!
  const grouped = apiPrefix === 'apis'
  if (grouped && segments.length < 4) return createNonResource(method, target.path, apiPrefix)

  const apiGroup = grouped ? segments[1]! : ''
  const apiVersion = segments[grouped ? 2 : 1]!
  let from = grouped ? 3 : 2
  let verb = verbsByMethod.get(method) ?? ''
  const pathVerb = parsePathVerb(segments[from]!)
  if (pathVerb !== '') {
    verb = pathVerb
    from++
    if (from === segments.length) throw new RequestInfoError(`unable to determine kind and namespace from url, ${target.text}`)
  }

  let namespace = ''
  let inNamespace = false
  const count = segments.length - from
  if (segments[from] === 'namespaces' && count > 1) {
    namespace = segments[from + 1]!
    inNamespace = count > 2 && !namespaceSubresources.has(segments[from + 2]!)
    if (inNamespace) from += 2
  }
  const pathSegments = segments.slice(from)
  const resource = pathSegments[0]!
  let name = pathSegments[1] ?? ''
  const subresource = verb === 'proxy' ? '' : (pathSegments[2] ?? '')

  if (name === '' && verb === 'get') {
    verb = parseLooseBoolean(query.get('watch')) ? 'watch' : 'list'
    if (query.size > 0) name = findSelectedName(query)
  }
  if (name === '' && verb === 'delete') verb = 'deletecollection'

  const attributes: RequestAttributes = {
    isResourceRequest: true,
    path: target.path,
    verb,
    apiPrefix,
    apiGroup,
    apiVersion,
    namespace,
    resource,
    subresource,
    name,
    parts: pathSegments,
    pathVerb,
    inNamespace,
  }
  if (query.size === 0 || pathVerb !== '' || !verbsWithSelectors.has(verb)) return attributes
  const fieldSelector = parseRequirements(query.get('fieldSelector'), parseFieldSelector)
  const labelSelector = parseRequirements(query.get('labelSelector'), parseLabelSelector)
  if (fieldSelector === undefined && labelSelector === undefined) return attributes
  return { ...attributes, ...(fieldSelector && { fieldSelector }), ...(labelSelector && { labelSelector }) }
}

/** Parses the selector of a list. Returns undefined if it has no requirements, or if it cannot be parsed. The handler reports the error. */
function parseRequirements<T>(
  text: string | null,
  parse: (text: string) => { readonly requirements: readonly T[] },
): readonly T[] | undefined {
  if (!text) return undefined
  try {
    const { requirements } = parse(text)
    return requirements.length === 0 ? undefined : requirements
  } catch {
    return undefined
  }
}

function createNonResource(method: string, path: string, apiPrefix: string): RequestAttributes {
  return {
    isResourceRequest: false,
    path,
    verb: method.toLowerCase(),
    apiPrefix,
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: noSegments,
    pathVerb: '',
    inNamespace: false,
  }
}

function parsePathVerb(segment: string): RequestAttributes['pathVerb'] {
  return segment === 'watch' || segment === 'proxy' ? segment : ''
}

function withoutOuterSlashes(segments: readonly string[]): readonly string[] {
  let start = 0
  let end = segments.length
  while (start < end && segments[start] === '') start++
  while (end > start && segments[end - 1] === '') end--
  return end - start === segments.length ? segments : segments.slice(start, end)
}

/** Parses a boolean query parameter like kube-apiserver: absent, "false" and "0" are false, and all other values are true. */
export function parseLooseBoolean(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false'
}

/**
 * Returns the name that the field selector of a list requires; "" if it allows several names. If the list options are valid, such a list is
 * authorized as a request for that name.
 */
function findSelectedName(query: QueryParameters): string {
  const fields = query.get('fieldSelector')
  if (!fields?.includes('metadata.name') || !isInteger(query.get('limit')) || !isInteger(query.get('timeoutSeconds'))) return ''
  try {
    parseLabelSelector(query.get('labelSelector') ?? '')
    const name = parseFieldSelector(fields).requiresExactMatch('metadata.name')
    return name === undefined || name === '.' || name === '..' || /[/%]/.test(name) ? '' : name
  } catch {
    return ''
  }
}

function isInteger(value: string | null): boolean {
  return value === null || parseInt64(value) !== undefined
}
