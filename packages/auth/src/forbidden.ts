import { newForbidden } from '@keelson/apimachinery'
import type { ApiError, RequestInfo } from '@keelson/apimachinery'
import type { AuthorizerAttributes } from './authorizer.ts'

/** Builds the 403 for a request that no authorizer allowed. */
export function forbiddenError(attributes: AuthorizerAttributes, reason: string): ApiError {
  const { info } = attributes
  const message = sanitize(forbiddenMessage(attributes.user.name, info))
  return newForbidden({ group: info.apiGroup, resource: info.resource }, info.name, reason === '' ? message : `${message}: ${reason}`)
}

function forbiddenMessage(userName: string, info: RequestInfo): string {
  const user = `User ${JSON.stringify(userName)} cannot ${info.verb}`
  if (!info.isResourceRequest) return `${user} path ${JSON.stringify(info.path)}`
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`
  const what = `${user} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(info.apiGroup)}`
  return info.namespace === '' ? `${what} at the cluster scope` : `${what} in the namespace ${JSON.stringify(info.namespace)}`
}

/** Escapes markup: the text repeats parts of the URL, and a browser must never render it. */
function sanitize(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
