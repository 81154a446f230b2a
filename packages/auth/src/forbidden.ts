import { newForbidden } from '@keelson/apimachinery'
import type { ApiError, RequestedAction } from '@keelson/apimachinery'
import type { AuthorizerAttributes } from './authorizer.ts'

/** Builds the 403 error of a request that no authorizer allowed. */
export function createForbiddenError(attributes: AuthorizerAttributes, reason: string): ApiError {
  const { action } = attributes
  const message = sanitize(formatForbidden(attributes.user.name, action))
  return newForbidden({ group: action.apiGroup, resource: action.resource }, action.name, reason === '' ? message : `${message}: ${reason}`)
}

function formatForbidden(userName: string, action: RequestedAction): string {
  const user = `User ${JSON.stringify(userName)} cannot ${action.verb}`
  if (!action.isResourceRequest) return `${user} path ${JSON.stringify(action.path)}`
  const resource = action.subresource === '' ? action.resource : `${action.resource}/${action.subresource}`
  const target = `${user} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(action.apiGroup)}`
  return action.namespace === '' ? `${target} at the cluster scope` : `${target} in the namespace ${JSON.stringify(action.namespace)}`
}

/** Escapes HTML markup. The message contains parts of the URL, which a browser must not render. */
function sanitize(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
