import { parseFieldSelector, parseLabelSelector } from '@keelson/apimachinery'
import type { RequestInfo } from '@keelson/apimachinery'
import { parseQuery, parseTarget } from '@keelson/http-installer'
import type { QueryParameters } from '@keelson/http-installer'

/** The URL names no request at all ("/api/v1/watch" alone). */
export class RequestInfoError extends Error {
  override readonly name = 'RequestInfoError'
}

const apiPrefixes = new Set(['api', 'apis'])
const specialVerbs = new Set(['proxy', 'watch'])
const namespaceSubresources = new Set(['status', 'finalize'])
const verbsWithSelectors = new Set(['list', 'watch', 'deletecollection'])
/** Maps where a client's word is looked up: over HTTP/2 any word is a method, those too that every object has as a member. */
const verbOfMethod: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])
const none: readonly string[] = []

/**
 * What a request asks for, from its method and target ("/api/v1/pods?watch=1") alone. The forms:
 *
 *     /api/VERSION/[watch|proxy/]RESOURCE[/NAME[/SUBRESOURCE]]
 *     /api/VERSION/[watch|proxy/]namespaces/NAMESPACE/RESOURCE[/NAME[/SUBRESOURCE]]
 *     /apis/GROUP/VERSION/…the same
 *
 * Everything else is a path of its own. Throws `RequestInfoError` for a special verb with nothing behind it, and `URIError` for what is no target or has broken escapes.
 */
export function parseRequestInfo(method: string, target: string): RequestInfo {
  const { path, segments: split, query } = parseTarget(target)
  const segments = withoutOuterSlashes(split)
  if (segments.length < 3 || !apiPrefixes.has(segments[0]!)) return otherPath(method, path, '')
  const apiPrefix = segments[0]!
  const grouped = apiPrefix === 'apis'
  if (grouped && segments.length < 4) return otherPath(method, path, apiPrefix)

  const apiGroup = grouped ? segments[1]! : ''
  const apiVersion = segments[grouped ? 2 : 1]!
  let from = grouped ? 3 : 2
  let verb = verbOfMethod.get(method) ?? ''
  const verbInPath = specialVerbs.has(segments[from]!)
  if (verbInPath) {
    verb = segments[from]!
    from++
    if (from === segments.length) throw new RequestInfoError(`unable to determine kind and namespace from url, ${target}`)
  }

  let namespace = ''
  const count = segments.length - from
  if (segments[from] === 'namespaces' && count > 1) {
    namespace = segments[from + 1]!
    if (count > 2 && !namespaceSubresources.has(segments[from + 2]!)) from += 2
  }
  const parts = segments.slice(from)
  const resource = parts[0]!
  let name = parts[1] ?? ''
  const subresource = verb === 'proxy' ? '' : (parts[2] ?? '')

  const parameters = query === '' ? undefined : parseQuery(query)
  if (name === '' && verb === 'get') {
    verb = isTrue(parameters?.get('watch')) ? 'watch' : 'list'
    if (parameters !== undefined) name = selectedName(parameters)
  }
  if (name === '' && verb === 'delete') verb = 'deletecollection'

  const selectors = parameters !== undefined && !verbInPath && verbsWithSelectors.has(verb)
  const fieldSelector = selectors ? parameters.get('fieldSelector') : null
  const labelSelector = selectors ? parameters.get('labelSelector') : null
  const info: RequestInfo = {
    isResourceRequest: true,
    path,
    verb,
    apiPrefix,
    apiGroup,
    apiVersion,
    namespace,
    resource,
    subresource,
    name,
    parts,
  }
  if (!fieldSelector && !labelSelector) return info
  return { ...info, ...(fieldSelector ? { fieldSelector } : {}), ...(labelSelector ? { labelSelector } : {}) }
}

function otherPath(method: string, path: string, apiPrefix: string): RequestInfo {
  const verb = method.toLowerCase()
  return {
    isResourceRequest: false,
    path,
    verb,
    apiPrefix,
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: none,
  }
}

function withoutOuterSlashes(segments: readonly string[]): readonly string[] {
  let start = 0
  let end = segments.length
  while (start < end && segments[start] === '') start++
  while (end > start && segments[end - 1] === '') end--
  return end - start === segments.length ? segments : segments.slice(start, end)
}

/** How the original reads a boolean parameter: anything that is present and not "false" or "0". */
function isTrue(value: string | null | undefined): boolean {
  if (value === null || value === undefined) return false
  const lower = value.toLowerCase()
  return lower !== 'false' && lower !== '0'
}

/** A list that can only match one name is a request for that name, provided that every list option can be read. */
function selectedName(parameters: QueryParameters): string {
  const fields = parameters.get('fieldSelector')
  if (!fields?.includes('metadata.name') || !isInteger(parameters.get('limit')) || !isInteger(parameters.get('timeoutSeconds'))) return ''
  try {
    parseLabelSelector(parameters.get('labelSelector') ?? '')
    const name = parseFieldSelector(fields).requiresExactMatch('metadata.name')
    return name === undefined || name === '.' || name === '..' || /[/%]/.test(name) ? '' : name
  } catch {
    return ''
  }
}

function isInteger(value: string | null): boolean {
  return value === null || value === '' || /^[+-]?\d+$/.test(value)
}
