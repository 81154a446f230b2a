import { setMaxListeners } from 'node:events'
import type { GroupVersionResource, RequestContext, UserInfo } from '@keelson/apimachinery'

/** Who the server is to itself. */
export const loopbackUser: UserInfo = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] }

export interface LoopbackRequest {
  readonly verb: string
  readonly resource: GroupVersionResource
  readonly subresource?: string
  readonly namespace: string
  readonly name?: string
  readonly signal?: AbortSignal
}

const never = new AbortController().signal
// All requests without a signal of their own have it, as many as wait at once: that is no leak, of which node 20 would warn.
setMaxListeners(0, never)
let requests = 0

/** What the HTTP layer would have made of the same request, so that the registry, admission and audit see no difference. */
export function loopbackContext(request: LoopbackRequest, fieldManager: string, now: () => number): RequestContext {
  const { verb, resource, subresource = '', namespace, name = '' } = request
  const parts = [...(namespace === '' ? [] : ['namespaces', namespace]), resource.resource, name, subresource].filter((part) => part !== '')
  const apiPrefix = resource.group === '' ? 'api' : 'apis'
  const path = ['', apiPrefix, resource.group, resource.version, ...parts].filter((part, index) => index === 0 || part !== '').join('/')
  return {
    user: loopbackUser,
    info: {
      isResourceRequest: true,
      path,
      verb,
      apiPrefix,
      apiGroup: resource.group,
      apiVersion: resource.version,
      namespace,
      resource: resource.resource,
      subresource,
      name,
      parts,
    },
    namespace,
    signal: request.signal ?? never,
    userAgent: fieldManager,
    fieldManager,
    requestId: `loopback-${++requests}`,
    now,
    warn() {},
  }
}
