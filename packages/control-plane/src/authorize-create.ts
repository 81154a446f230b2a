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
