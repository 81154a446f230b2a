import { formatMicroTime, stringifyJson } from '@keelson/apimachinery'
import type { UserInfo } from '@keelson/apimachinery'
import type { EventFields, EventStatus, ObjectReference } from './audit-event.ts'

/** Start of an event in a log. The events of a list do not have it. */
export const eventHead = '"kind":"Event","apiVersion":"audit.k8s.io/v1",'

/** Returns the members of an event in JSON, with a closing brace and without an opening one. Their order is kube-apiserver's. */
export function encodeEventMembers(event: EventFields): string {
  const { impersonatedUser, impersonationConstraint, sourceIps, userAgent, objectRef, status, requestObject, responseObject } = event
  let json = `"level":"${event.level}","auditID":${toJson(event.auditId)},"stage":"${event.stage}","requestURI":${toJson(event.requestUri)}`
  json += `,"verb":${toJson(event.verb)},"user":${encodeUser(event.user)}`
  if (impersonatedUser !== undefined) json += `,"impersonatedUser":${encodeUser(impersonatedUser)}`
  if (impersonationConstraint !== '') json += `,"authenticationMetadata":{"impersonationConstraint":${toJson(impersonationConstraint)}}`
  if (sourceIps.length > 0) json += `,"sourceIPs":["${sourceIps.join('","')}"]`
  if (userAgent !== '') json += `,"userAgent":${toJson(userAgent)}`
  if (objectRef !== undefined) json += `,"objectRef":${encodeReference(objectRef)}`
  if (status !== undefined) json += `,"responseStatus":${encodeStatus(status)}`
  if (requestObject !== undefined) json += `,"requestObject":${requestObject}`
  if (responseObject !== undefined) json += `,"responseObject":${responseObject}`
  json += `,"requestReceivedTimestamp":"${formatMicroTime(event.received)}","stageTimestamp":"${formatMicroTime(event.reached)}"`
  return event.annotations === undefined ? `${json}}` : `${json},"annotations":${encodeSorted(event.annotations)}}`
}

/** Text that JSON contains as it is. Other text is escaped like in Go, which also escapes `<`, `>` and `&`. */
const plainText = /^[ !#-%'-;=?-[\]-~]*$/

function toJson(text: string): string {
  return plainText.test(text) ? `"${text}"` : stringifyJson(text)
}

/** JSON of users. A user's object is often shared by all requests of a connection. */
const userTexts = new WeakMap<UserInfo, string>()

function encodeUser(user: UserInfo): string {
  let json = userTexts.get(user)
  if (json === undefined) {
    const { name, uid, groups, extra } = user
    json = stringifyJson({
      ...(name !== '' && { username: name }),
      ...(uid && { uid }),
      ...(groups.length > 0 && { groups }),
      ...(extra && Object.keys(extra).length > 0 && { extra: sortMembers(extra) }),
    })
    userTexts.set(user, json)
  }
  return json
}

function encodeReference(reference: Readonly<ObjectReference>): string {
  let json = ''
  const { resource, namespace, name, uid, apiGroup, apiVersion, resourceVersion, subresource } = reference
  if (resource !== '') json += `,"resource":${toJson(resource)}`
  if (namespace !== '') json += `,"namespace":${toJson(namespace)}`
  if (name !== '') json += `,"name":${toJson(name)}`
  if (uid !== '') json += `,"uid":${toJson(uid)}`
  if (apiGroup !== '') json += `,"apiGroup":${toJson(apiGroup)}`
  if (apiVersion !== '') json += `,"apiVersion":${toJson(apiVersion)}`
  if (resourceVersion !== '') json += `,"resourceVersion":${toJson(resourceVersion)}`
  if (subresource !== '') json += `,"subresource":${toJson(subresource)}`
  return `{${json.slice(1)}}`
}

function encodeStatus({ status, message, reason, details, code }: EventStatus): string {
  if (status === undefined && message === undefined) return code === undefined ? '{"metadata":{}}' : `{"metadata":{},"code":${code}}`
  return stringifyJson({
    metadata: {},
    ...(status && { status }),
    ...(message && { message }),
    ...(reason && { reason }),
    ...(details && { details }),
    ...(code && { code }),
  })
}

function encodeSorted(members: Readonly<Record<string, string>>): string {
  return stringifyJson(sortMembers(members))
}

function sortMembers<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Formats a time like Go's RFC3339Nano, which drops zeros at the end of the fraction. */
export function formatNanoTime(milliseconds: number): string {
  const text = formatMicroTime(milliseconds)
  let end = text.length - 1
  while (text[end - 1] === '0') end--
  return `${text.slice(0, text[end - 1] === '.' ? end - 1 : end)}Z`
}
