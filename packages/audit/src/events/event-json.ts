import { formatMicroTime, stringifyJson } from '@keelson/apimachinery'
import type { UserInfo } from '@keelson/apimachinery'
import type { EventFields, EventStatus, ObjectReference } from './audit-event.ts'
import type { EventTemplate } from './event-template.ts'

const decisionKey = 'authorization.k8s.io/decision'
const reasonKey = 'authorization.k8s.io/reason'

/** Start of an event in a log. The events of a list do not have it. */
export const eventHead = '"kind":"Event","apiVersion":"audit.k8s.io/v1",'

/** What the client of a request sent. */
export interface RequestFields {
  readonly requestUri: string
  readonly verb: string
  readonly user: UserInfo
  readonly sourceIps: readonly string[]
  readonly userAgent: string
}

/** The members that all events of equal requests have in common, as JSON. */
export interface RequestTexts {
  /** The URI, the verb and the user. */
  readonly identity: string
  /** Source addresses and user agent. Members of other events come before them. */
  readonly origin: string
  /** The object that the URI names. Undefined until it is encoded. */
  objectRef: string | undefined
  /** Templates of the last events. Undefined until the request is repeated. */
  templates: EventTemplate[] | undefined
}

export function encodeRequest({ requestUri, verb, user, sourceIps, userAgent }: RequestFields): RequestTexts {
  let origin = sourceIps.length > 0 ? `,"sourceIPs":["${sourceIps.join('","')}"]` : ''
  if (userAgent !== '') origin += `,"userAgent":${toJson(userAgent)}`
  return {
    identity: `,"requestURI":${toJson(requestUri)},"verb":${toJson(verb)},"user":${encodeUser(user)}`,
    origin,
    objectRef: undefined,
    templates: undefined,
  }
}

/** The members of an event in JSON, in kube-apiserver's order. `objects` are those of the request and of the response. */
export interface EncodedEvent {
  readonly head: string
  readonly objects: string
  /** Ends with a closing brace. */
  readonly tail: string
}

export function encodeEvent(event: EventFields): EncodedEvent {
  const { request, impersonatedUser, impersonationConstraint, objectRef, status, requestObject, responseObject, annotations } = event
  let head = `"level":"${event.level}","auditID":${toJson(event.auditId)},"stage":"${event.stage}"${request.identity}`
  if (impersonatedUser !== undefined) head += `,"impersonatedUser":${encodeUser(impersonatedUser)}`
  if (impersonationConstraint !== '') head += `,"authenticationMetadata":{"impersonationConstraint":${toJson(impersonationConstraint)}}`
  head += request.origin
  if (objectRef !== undefined) head += `,"objectRef":${objectRef}`
  if (status !== undefined) head += `,"responseStatus":${encodeStatus(status)}`
  let objects = requestObject === undefined ? '' : `,"requestObject":${requestObject}`
  if (responseObject !== undefined) objects += `,"responseObject":${responseObject}`
  const received = formatMicroTime(event.received)
  const reached = event.reached === event.received ? received : formatMicroTime(event.reached)
  const times = `,"requestReceivedTimestamp":"${received}","stageTimestamp":"${reached}"`
  const tail =
    annotations === undefined ? `${times}}` : `${times},"annotations":${decisionAnnotations.get(annotations) ?? encodeSorted(annotations)}}`
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

/** Annotations of requests that have only those of authorization. The values are JSON. They are never changed. */
const decisionAnnotations = new WeakMap<Readonly<Record<string, string>>, string>()
let lastDecision: Readonly<Record<string, string>> = {}

/** Returns the annotations of a decision. Nearly all requests have equal ones, which are then the same object. */
export function annotateDecision(decision: string, reason: string): Readonly<Record<string, string>> {
  if (lastDecision[decisionKey] !== decision || lastDecision[reasonKey] !== reason) {
    lastDecision = Object.freeze({ [decisionKey]: decision, [reasonKey]: reason })
    decisionAnnotations.set(lastDecision, encodeSorted(lastDecision))
  }
  return lastDecision
}

function encodeSorted(annotations: Readonly<Record<string, string>>): string {
  let json = ''
  for (const key of Object.keys(annotations).toSorted()) json += `${json === '' ? '{' : ','}${toJson(key)}:${toJson(annotations[key]!)}`
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
