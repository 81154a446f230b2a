import { runAfter } from '@keelson/apimachinery'
import type { Authorizer, Decision } from '@keelson/auth'
import { AuthorizerValue } from '@keelson/cel'
import type { AuthorizationDecision } from '@keelson/cel'
import type { AdmissionAttributes } from '../admission.ts'

/** The variables with which expressions check permissions of the user. */
export interface AuthorizerVariables {
  readonly authorizer: AuthorizerValue
  readonly 'authorizer.requestResource': unknown
}

/** Returns the variables of a write with which expressions check permissions. */
export function buildAuthorizerVariables(authorizer: Authorizer, attributes: AdmissionAttributes): AuthorizerVariables {
  const { resource, subresource, namespace, name, context } = attributes
  const value = new AuthorizerValue(context.user, (user, action) => runAfter(authorizer.authorize({ user, action }), toResult))
  return {
    authorizer: value,
    'authorizer.requestResource': value.resource({
      apiGroup: resource.group,
      resource: resource.resource,
      subresource,
      namespace,
      name,
    }),
  }
}

function toResult({ decision, reason, error }: Decision): AuthorizationDecision {
  return { allowed: decision === 'allow', reason, ...(error !== undefined && { error }) }
}
