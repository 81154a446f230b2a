import type { RequestInfo } from '@keelson/apimachinery'
import { parseLooseBoolean } from './request-attributes.ts'
import type { QueryParameters } from './request-attributes.ts'

/** Subresources that are reported as connections, whatever their method. */
const connectSubresources: ReadonlySet<string> = new Set(['log', 'exec', 'portforward', 'attach', 'proxy'])

/** Media type of server-side apply. Unlike other patches, apply creates absent objects. */
export const applyPatchType = 'application/apply-patch+yaml'

/** The attributes of a request that decide its reported scope. */
type ScopedAction = Pick<RequestInfo, 'isResourceRequest' | 'name' | 'verb' | 'namespace'>

/** A request, as far as its reported verb depends on it. */
export interface ReportedRequest {
  readonly attributes: Pick<RequestInfo, 'isResourceRequest' | 'subresource'>
  readonly method: string
  readonly query: QueryParameters
  readonly contentType: string | undefined
}

/**
 * Returns the verb of a request in metrics and traces: its method, or LIST, WATCH, APPLY or CONNECT for these requests. `reportedScope` tells lists from
 * requests for one object. As in kube-apiserver, only the exact media type of YAML is an APPLY, and each GET with `?watch` is a WATCH.
 */
export function decideReportedVerb({ attributes, method, query, contentType }: ReportedRequest, reportedScope: string): string {
  if (attributes.subresource !== '' && attributes.isResourceRequest && connectSubresources.has(attributes.subresource)) return 'CONNECT'
  if (method === 'GET' && query.size > 0 && parseLooseBoolean(query.get('watch'))) return 'WATCH'
  if (method === 'GET' || method === 'HEAD') return reportedScope === 'resource' || reportedScope === '' ? 'GET' : 'LIST'
  return method === 'PATCH' && contentType === applyPatchType ? 'APPLY' : method
}

/** Returns the scope of a request in metrics and traces. A watch of one object, selected by its name, has the scope of a resource. */
export function decideReportedScope({ isResourceRequest, name, verb, namespace }: ScopedAction): string {
  if (name !== '' || verb === 'create') return 'resource'
  if (namespace !== '') return 'namespace'
  return isResourceRequest ? 'cluster' : ''
}
