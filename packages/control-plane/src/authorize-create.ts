import type { RequestContext } from '@keelson/apimachinery'
import { forbiddenError } from '@keelson/auth'
import type { Authorizer } from '@keelson/auth'

/** Asks whether who changes an object that is absent may create it. Throws 403. */
export function authorizeCreate(authorizer: Authorizer): (context: RequestContext) => Promise<void> {
  return async ({ user, info }) => {
    const attributes = { user, info: { ...info, verb: 'create' } }
    const { decision, reason } = await authorizer.authorize(attributes)
    if (decision !== 'allow') throw forbiddenError(attributes, reason)
  }
}
