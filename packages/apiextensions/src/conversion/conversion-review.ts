import { formatGroupVersion, isJsonObject, messageOf, parseGroupVersion, parseJson } from '@keelson/apimachinery'
import type { GroupVersion, JsonObject, JsonValue } from '@keelson/apimachinery'
import { textOf } from './converted-metadata.ts'
import type { ConversionInput } from './object-converter.ts'

const group = 'apiextensions.k8s.io'

/** The versions of ConversionReview that kube-apiserver speaks. */
export type ReviewVersion = 'v1' | 'v1beta1'

/** Returns the first version of a definition's `conversionReviewVersions` that this server speaks. */
export function reviewVersionOf(versions: readonly string[]): ReviewVersion | undefined {
  return versions.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1')
}

export interface ReviewRequest {
  readonly version: ReviewVersion
  readonly uid: string
  readonly to: GroupVersion
  readonly kind: string
}

/** Encodes a ConversionReview. It copies the JSON of the objects and does not parse it. */
export function encodeReview({ version, uid, to, kind }: ReviewRequest, objects: readonly ConversionInput[]): Buffer {
  const desired = JSON.stringify(formatGroupVersion(to))
  const parts: Uint8Array[] = [
    Buffer.from(
      `{"kind":"ConversionReview","apiVersion":"${group}/${version}","request":{"uid":"${uid}","desiredAPIVersion":${desired},"objects":[`,
    ),
  ]
  objects.forEach(({ version: from, body }, i) => {
    const apiVersion = JSON.stringify(formatGroupVersion({ group: to.group, version: from }))
    // The body starts with "{" and has at least the member `metadata`.
    parts.push(Buffer.from(`${i === 0 ? '' : ','}{"apiVersion":${apiVersion},"kind":${JSON.stringify(kind)},`), body.subarray(1))
  })
  parts.push(Buffer.from(']},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}\n'))
  return Buffer.concat(parts)
}

/** The decoded response of a webhook. `failure` is kube-apiserver's error text. */
export type ReviewResponse =
  | { readonly objects: readonly JsonValue[] }
  | { readonly failure: string; readonly type: 'conversion_webhook_call_failure' | 'conversion_webhook_malformed_response_failure' }

/** Decodes the body of a webhook's response, and checks everything but the objects. */
export function decodeReview({ version, uid }: ReviewRequest, body: Buffer): ReviewResponse {
  let review: JsonValue
  try {
    review = parseBody(body.toString('utf8'))
  } catch (error) {
    return callFailure(`couldn't get version/kind; json parse error: ${messageOf(error)}`)
  }
  const members = review ?? {}
  if (!isJsonObject(members)) return callFailure(typeMetaError(typeError(review, '', typeMeta)))
  const foreign = findForeignType(members, version)
  if (foreign !== undefined) return foreign
  const { response } = members
  if (response === undefined || response === null) return malformed('no response provided')
  if (!isJsonObject(response)) return callFailure(typeError(response, 'ConversionReview.response', `${version}.ConversionResponse`))
  const { uid: answered, result, convertedObjects } = response
  for (const [member, value, isType, goType] of [
    ['uid', answered, isText, 'types.UID'],
    ['convertedObjects', convertedObjects, Array.isArray, '[]runtime.RawExtension'],
    ['result', result, isJsonObject, 'v1.Status'],
  ] as const) {
    if (value === undefined || value === null || isType(value)) continue
    return callFailure(typeError(value, `ConversionResponse.response.${member}`, goType))
  }
  if (version === 'v1' && (answered ?? '') !== uid) {
    return malformed(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered ?? '')}`)
  }
  const { status, message } = (result ?? {}) as JsonObject
  if (status !== 'Success') return malformed(textOf(message) || `response.result.status was '${textOf(status)}', not 'Success'`)
  return { objects: (convertedObjects ?? []) as JsonValue[] }
}

/** Parses a response. kube-apiserver also accepts YAML, so it reads a response that is not JSON, such as HTML, as a YAML string. */
function parseBody(text: string): JsonValue {
  return /^\s*[[{"0-9tfn-]/.test(text) ? parseJson(text).value : text
}

/** Checks the type of a response. Only `v1` requires its name. Returns undefined if it is a ConversionReview of the version that was sent. */
function findForeignType(review: JsonObject, version: ReviewVersion): ReviewResponse | undefined {
  for (const member of ['apiVersion', 'kind']) {
    const value = review[member]
    if (value === undefined || value === null || isText(value)) continue
    return callFailure(typeMetaError(typeError(value, `.${member}`, 'string')))
  }
  const apiVersion = textOf(review['apiVersion'])
  const kind = textOf(review['kind'])
  const expected = `${group}/${version}`
  const sent = { apiVersion: apiVersion || expected, kind: kind || 'ConversionReview' }
  if (sent.apiVersion !== expected || sent.kind !== 'ConversionReview') {
    const isKnown = sent.apiVersion === 'v1' ? sent.kind === 'Status' : ownVersions.has(sent.apiVersion) && ownKinds.has(sent.kind)
    return callFailure(
      isKnown
        ? `converting (${parseGroupVersion(sent.apiVersion).version}.${sent.kind}) to (${version}.ConversionReview): unknown conversion`
        : `no kind ${JSON.stringify(sent.kind)} is registered for version ${JSON.stringify(sent.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  if (version === 'v1beta1' || (apiVersion === expected && kind === 'ConversionReview')) return undefined
  const received = apiVersion === '' ? '/' : apiVersion
  return malformed(`expected webhook response of ${expected}, Kind=ConversionReview, got ${received}, Kind=${kind}`)
}

const ownVersions: ReadonlySet<string> = new Set([`${group}/v1`, `${group}/v1beta1`])
const ownKinds: ReadonlySet<string> = new Set(['ConversionReview', 'CustomResourceDefinition', 'CustomResourceDefinitionList'])

function isText(value: JsonValue): value is string {
  return typeof value === 'string'
}

function callFailure(failure: string): ReviewResponse {
  return { failure, type: 'conversion_webhook_call_failure' }
}

function malformed(failure: string): ReviewResponse {
  return { failure, type: 'conversion_webhook_malformed_response_failure' }
}

/** The Go type in which kube-apiserver reads kind and apiVersion. */
const typeMeta = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

function typeMetaError(failure: string): string {
  return `couldn't get version/kind; json parse error: ${failure}`
}

/** Returns Go's text for a JSON value of the wrong type. `field` is "" for the whole value. */
export function typeError(value: JsonValue, field: string, goType: string): string {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value
  const place = field === '' ? 'Go value' : `Go struct field ${field}`
  return `json: cannot unmarshal ${kind} into ${place} of type ${goType}`
}
