import { newForbidden } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { createForbiddenError } from '@keelson/auth'
import type { Authorizer } from '@keelson/auth'

/**
 * Returns a function that checks whether the user may create the object of an update request (create on update). The function throws
 * Forbidden if not.
 */
export function authorizeCreate(authorizer: Authorizer): (context: RequestContext) => Promise<void> {
  return async ({ user, attributes: info }) => {
    const attributes = { user, action: { ...info, verb: 'create' } }
    const { decision, reason } = await authorizer.authorize(attributes)
    if (decision !== 'allow') throw createForbiddenError(attributes, reason)
  }
}

/**
 * Returns a function that checks `create` permission for GET requests on connect subresources, such as exec. The error message contains
 * only the authorizer's reason, as in kube-apiserver.
 */
export function authorizeConnect(authorizer: Authorizer): (context: RequestContext) => Promise<void> {
  return async ({ user, attributes }) => {
    const { decision, reason } = await authorizer.authorize({ user, action: { ...attributes, verb: 'create' } })
    if (decision !== 'allow') throw newForbidden({ group: attributes.apiGroup, resource: attributes.resource }, attributes.name, reason)
  }
}
