import { newForbidden } from '@keelson/apimachinery'
import type { RequestContext } from '@keelson/apimachinery'
import { forbiddenError } from '@keelson/auth'
import type { Authorizer } from '@keelson/auth'

/** Authorizes the creation of an object through an update. Throws Forbidden. */
export function authorizeCreate(authorizer: Authorizer): (context: RequestContext) => Promise<void> {
  return async ({ user, info }) => {
    const attributes = { user, action: { ...info, verb: 'create' } }
    const { decision, reason } = await authorizer.authorize(attributes)
    if (decision !== 'allow') throw forbiddenError(attributes, reason)
  }
}

/** The same for a connection by GET that counts as a create. The message only has the authorizer's reason, as in kube-apiserver. */
export function authorizeConnect(authorizer: Authorizer): (context: RequestContext) => Promise<void> {
  return async ({ user, info }) => {
    const { decision, reason } = await authorizer.authorize({ user, action: { ...info, verb: 'create' } })
    if (decision !== 'allow') throw newForbidden({ group: info.apiGroup, resource: info.resource }, info.name, reason)
  }
}
