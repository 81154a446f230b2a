import { formatGroupVersion, isJsonObject } from '@keelson/apimachinery'
import type { GroupVersion, JsonObject, JsonValue } from '@keelson/apimachinery'
import { formatJsonTypeProblem, parseReview } from '@keelson/outbound'
import { readText } from './converted-metadata.ts'
import type { ConversionInput } from './object-converter.ts'

const group = 'apiextensions.k8s.io'

/** The versions of ConversionReview that kube-apiserver speaks. */
export type ReviewVersion = 'v1' | 'v1beta1'

/** Returns the first version of a definition's `conversionReviewVersions` that this server speaks. */
export function selectReviewVersion(versions: readonly string[]): ReviewVersion | undefined {
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
  const chunks: Uint8Array[] = [
    Buffer.from(
      `{"kind":"ConversionReview","apiVersion":"${group}/${version}","request":{"uid":"${uid}","desiredAPIVersion":${desired},"objects":[`,
    ),
  ]
  objects.forEach(({ version: from, body }, i) => {
    const apiVersion = JSON.stringify(formatGroupVersion({ group: to.group, version: from }))
    // The body starts with "{" and has at least the member `metadata`.
    chunks.push(Buffer.from(`${i === 0 ? '' : ','}{"apiVersion":${apiVersion},"kind":${JSON.stringify(kind)},`), body.subarray(1))
  })
  chunks.push(Buffer.from(']},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}\n'))
  return Buffer.concat(chunks)
}

/** The decoded response of a webhook. `failure` is kube-apiserver's error text. */
export type ReviewResponse =
  | { readonly objects: readonly JsonValue[] }
  | { readonly failure: string; readonly type: 'conversion_webhook_call_failure' | 'conversion_webhook_malformed_response_failure' }

/** Decodes the body of a webhook's response, and checks everything but the objects. */
export function decodeReview({ version, uid }: ReviewRequest, body: Buffer): ReviewResponse {
  const { review: members, problem } = parseReview(body, { ...expectedReview, version })
  if (members === undefined) return callFailure(problem)
  const mismatch = findMismatch(members, version)
  if (mismatch !== undefined) return mismatch
  const { response } = members
  if (response === undefined || response === null) return createMalformedFailure('no response provided')
  if (!isJsonObject(response))
    return callFailure(formatJsonTypeProblem(response, 'ConversionReview.response', `${version}.ConversionResponse`))
  const { uid: answered, result, convertedObjects } = response
  for (const [member, value, isType, goType] of [
    ['uid', answered, isText, 'types.UID'],
    ['convertedObjects', convertedObjects, Array.isArray, '[]runtime.RawExtension'],
    ['result', result, isJsonObject, 'v1.Status'],
  ] as const) {
    if (value === undefined || value === null || isType(value)) continue
    return callFailure(formatJsonTypeProblem(value, `ConversionResponse.response.${member}`, goType))
  }
  if (version === 'v1' && (answered ?? '') !== uid) {
    return createMalformedFailure(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered ?? '')}`)
  }
  const { status, message } = (result ?? {}) as JsonObject
  if (status !== 'Success')
    return createMalformedFailure(readText(message) || `response.result.status was '${readText(status)}', not 'Success'`)
  return { objects: (convertedObjects ?? []) as JsonValue[] }
}

const expectedReview = {
  group,
  kind: 'ConversionReview',
  versions: ['v1', 'v1beta1'],
  kinds: ['ConversionReview', 'CustomResourceDefinition', 'CustomResourceDefinitionList'],
}

/** Checks that the review names its version and kind, which only `v1` requires. */
function findMismatch(review: JsonObject, version: ReviewVersion): ReviewResponse | undefined {
  const expected = `${group}/${version}`
  const apiVersion = readText(review['apiVersion'])
  const kind = readText(review['kind'])
  if (version === 'v1beta1' || (apiVersion === expected && kind === 'ConversionReview')) return undefined
  const received = apiVersion === '' ? '/' : apiVersion
  return createMalformedFailure(`expected webhook response of ${expected}, Kind=ConversionReview, got ${received}, Kind=${kind}`)
}

function isText(value: JsonValue): value is string {
  return typeof value === 'string'
}

function callFailure(failure: string): ReviewResponse {
  return { failure, type: 'conversion_webhook_call_failure' }
}

function createMalformedFailure(failure: string): ReviewResponse {
  return { failure, type: 'conversion_webhook_malformed_response_failure' }
}
