import { setMaxListeners } from 'node:events'
import { apiServerUser, authenticatedGroup, mastersGroup, resourceAction } from '@keelson/apimachinery'
import type { GroupVersionResource, RequestContext, UserInfo } from '@keelson/apimachinery'

/** The identity of the server's own requests. */
export const loopbackUser: UserInfo = { name: apiServerUser, groups: [mastersGroup, authenticatedGroup] }

export interface LoopbackRequest {
  readonly verb: string
  readonly resource: GroupVersionResource
  readonly subresource?: string
  readonly namespace: string
  readonly name?: string
  readonly signal?: AbortSignal
}

const neverAborted = new AbortController().signal
// Requests without their own signal share this one, so any number of listeners is normal and no leak.
setMaxListeners(0, neverAborted)
let requests = 0

/** Builds the request context as the HTTP layer would, so registry, admission and audit need no special case. */
export function loopbackContext(request: LoopbackRequest, fieldManager: string, now: () => number): RequestContext {
  const { verb, resource, subresource = '', namespace, name = '' } = request
  return {
    user: loopbackUser,
    info: resourceAction({
      verb,
      apiGroup: resource.group,
      apiVersion: resource.version,
      namespace,
      resource: resource.resource,
      subresource,
      name,
    }),
    namespace,
    signal: request.signal ?? neverAborted,
    userAgent: fieldManager,
    fieldManager,
    requestId: `loopback-${++requests}`,
    now,
    warn() {},
  }
}
