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
const verbOfMethod: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}
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
  const { path, query } = parseTarget(target)
  const segments = splitPath(path)
  if (segments.length < 3 || !apiPrefixes.has(segments[0]!)) return otherPath(method, path, '')
  const apiPrefix = segments[0]!
  const grouped = apiPrefix === 'apis'
  if (grouped && segments.length < 4) return otherPath(method, path, apiPrefix)

  const apiGroup = grouped ? segments[1]! : ''
  const apiVersion = segments[grouped ? 2 : 1]!
  let parts = segments.slice(grouped ? 3 : 2)
  let verb = verbOfMethod[method] ?? ''
  const verbInPath = specialVerbs.has(parts[0]!)
  if (verbInPath) {
    if (parts.length < 2) throw new RequestInfoError(`unable to determine kind and namespace from url, ${target}`)
    verb = parts[0]!
    parts = parts.slice(1)
  }

  let namespace = ''
  if (parts[0] === 'namespaces' && parts.length > 1) {
    namespace = parts[1]!
    if (parts.length > 2 && !namespaceSubresources.has(parts[2]!)) parts = parts.slice(2)
  }
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
  return {
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
    ...(fieldSelector ? { fieldSelector } : {}),
    ...(labelSelector ? { labelSelector } : {}),
  }
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

function splitPath(path: string): readonly string[] {
  let start = 0
  let end = path.length
  while (start < end && path.charCodeAt(start) === 47) start++
  while (end > start && path.charCodeAt(end - 1) === 47) end--
  return start === end ? none : path.slice(start, end).split('/')
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
