import { formatMicroTime, stringifyJson } from '@keelson/apimachinery'
import type { UserInfo } from '@keelson/apimachinery'
import type { EventFields, EventStatus, ObjectReference } from './audit-event.ts'

/** Start of an event in a log. The events of a list do not have it. */
export const eventHead = '"kind":"Event","apiVersion":"audit.k8s.io/v1",'

/** What the client of a request sent, and when. */
export interface RequestFields {
  readonly auditId: string
  readonly requestUri: string
  readonly verb: string
  readonly user: UserInfo
  readonly sourceIps: readonly string[]
  readonly userAgent: string
  /** Time at which the request arrived, in milliseconds since 1970. May have a fraction. */
  readonly received: number
}

/** The members that all events of a request have in common, as JSON. */
export interface RequestTexts {
  readonly auditId: string
  /** The URI, the verb and the user. */
  readonly identity: string
  /** Source addresses and user agent. Members of other events come before them. */
  readonly origin: string
  readonly received: string
  /** The object that the URI names. Undefined until it is encoded. */
  objectRef: string | undefined
}

export function encodeRequest(fields: RequestFields): RequestTexts {
  const { sourceIps, userAgent } = fields
  let origin = sourceIps.length > 0 ? `,"sourceIPs":["${sourceIps.join('","')}"]` : ''
  if (userAgent !== '') origin += `,"userAgent":${toJson(userAgent)}`
  return {
    auditId: toJson(fields.auditId),
    identity: `,"requestURI":${toJson(fields.requestUri)},"verb":${toJson(fields.verb)},"user":${encodeUser(fields.user)}`,
    origin,
    received: formatMicroTime(fields.received),
    objectRef: undefined,
  }
}

/** Returns the texts of a request that differs from an earlier one only in its id and its time. */
export function repeatRequest({ identity, origin, objectRef }: RequestTexts, auditId: string, received: number): RequestTexts {
  return { auditId: toJson(auditId), identity, origin, received: formatMicroTime(received), objectRef }
}

/** The members of an event in JSON, in kube-apiserver's order. `objects` are those of the request and of the response. */
export interface EncodedEvent {
  readonly head: string
  readonly objects: string
  /** Ends with a closing brace. */
  readonly tail: string
}

export function encodeEvent(event: EventFields): EncodedEvent {
  const { request, impersonatedUser, impersonationConstraint, objectRef, status, requestObject, responseObject, reached, annotations } =
    event
  let head = `"level":"${event.level}","auditID":${request.auditId},"stage":"${event.stage}"${request.identity}`
  if (impersonatedUser !== undefined) head += `,"impersonatedUser":${encodeUser(impersonatedUser)}`
  if (impersonationConstraint !== '') head += `,"authenticationMetadata":{"impersonationConstraint":${toJson(impersonationConstraint)}}`
  head += request.origin
  if (objectRef !== undefined) head += `,"objectRef":${objectRef}`
  if (status !== undefined) head += `,"responseStatus":${encodeStatus(status)}`
  let objects = requestObject === undefined ? '' : `,"requestObject":${requestObject}`
  if (responseObject !== undefined) objects += `,"responseObject":${responseObject}`
  const reachedText = reached === undefined ? request.received : formatMicroTime(reached)
  const times = `,"requestReceivedTimestamp":"${request.received}","stageTimestamp":"${reachedText}"`
  const tail = annotations === undefined ? `${times}}` : `${times},"annotations":${encodeAnnotations(annotations)}}`
  return { head, objects, tail }
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

export function encodeReference(reference: Readonly<ObjectReference>): string {
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

/** The last annotations of authorization. Nearly all requests have equal ones. */
let lastDecision = { decision: '', reason: '', json: '' }

/** Encodes annotations in the order of their keys. */
function encodeAnnotations(annotations: Readonly<Record<string, string>>): string {
  const { 'authorization.k8s.io/decision': decision, 'authorization.k8s.io/reason': reason } = annotations
  const keys = Object.keys(annotations)
  if (keys.length !== 2 || decision === undefined || reason === undefined) return encodeSorted(annotations, keys)
  if (decision !== lastDecision.decision || reason !== lastDecision.reason) {
    lastDecision = { decision, reason, json: encodeSorted(annotations, keys) }
  }
  return lastDecision.json
}

function encodeSorted(annotations: Readonly<Record<string, string>>, keys: string[]): string {
  // The annotations of authorization are in order, and most requests have no others.
  if (keys.length > 2 || (keys.length === 2 && keys[0]! > keys[1]!)) keys.sort()
  let json = ''
  for (const key of keys) json += `${json === '' ? '{' : ','}${toJson(key)}:${toJson(annotations[key]!)}`
  return json === '' ? '{}' : `${json}}`
}

function sortMembers<T>(members: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Removes the zeros at the end of a time in microseconds, like Go's RFC3339Nano. */
export function formatNanoTime(microTime: string): string {
  let end = microTime.length - 1
  while (microTime[end - 1] === '0') end--
  return `${microTime.slice(0, microTime[end - 1] === '.' ? end - 1 : end)}Z`
}
