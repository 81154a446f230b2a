import type { AdmissionReview } from '@keelson/api/admission/v1'
import { admissionV1 } from '@keelson/api/admission/v1'
import { decodeStruct, getErrorMessage, stringifyJson } from '@keelson/apimachinery'
import type { DeepReadonly, Status } from '@keelson/apimachinery'
import { parseReview } from '@keelson/outbound'
import type { VersionedObject, VersionedObjects } from '@keelson/registry'
import type { AdmissionAttributes } from '../admission.ts'
import type { MatchedResource } from '../matching/match-criteria.ts'
import { buildOptionsValue, buildRequestMembers } from '../matching/request-value.ts'

const group = 'admission.k8s.io'
const kind = 'AdmissionReview'

/** The versions of AdmissionReview that kube-apiserver speaks. */
export type ReviewVersion = 'v1' | 'v1beta1'

/** Returns the first version of a webhook's `admissionReviewVersions` that this server speaks. */
export function selectReviewVersion(versions: readonly string[]): ReviewVersion | undefined {
  return versions.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1')
}

export interface ReviewRequest {
  readonly version: ReviewVersion
  readonly uid: string
  readonly attributes: AdmissionAttributes
  readonly matched: MatchedResource
  readonly objects: VersionedObjects
}

/** Encodes the review that is sent to a webhook. */
export function encodeReview({ version, uid, attributes, matched, objects }: ReviewRequest): string {
  const before = buildRequestMembers(attributes, { uid, kind: objects.kind, resource: matched.resource })
  const after = stringifyJson({ dryRun: attributes.dryRun, options: buildOptionsValue(attributes) })
  const texts = `"object":${formatObject(objects.object)},"oldObject":${formatObject(objects.oldObject)}`
  return `{"kind":"${kind}","apiVersion":"${group}/${version}","request":${stringifyJson(before).slice(0, -1)},${texts},${after.slice(1)}}\n`
}

/** The JSON of objects, because all webhooks that want the same version get the same object. */
const texts = new WeakMap<VersionedObject, string>()

function formatObject(object: VersionedObject | undefined): string {
  if (object === undefined) return 'null'
  let text = texts.get(object)
  if (text === undefined) texts.set(object, (text = stringifyJson(object)))
  return text
}

/** The response of a webhook after all checks. */
export interface ReviewResponse {
  readonly allowed: boolean
  readonly status: DeepReadonly<Status> | undefined
  /** The JSON patch. Empty if there is none. */
  readonly patch: Buffer
  readonly patchType: string
  readonly auditAnnotations: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
}

export type DecodedResponse =
  | { readonly response: ReviewResponse; readonly problem?: undefined }
  /** kube-apiserver's error message. */
  | { readonly response?: undefined; readonly problem: string }

interface DecodeOptions {
  readonly version: ReviewVersion
  readonly uid: string
  /** Whether the webhook is a mutating one, which may return a patch. */
  readonly isMutating: boolean
}

const expectedReview = { group, kind, versions: ['v1', 'v1beta1'], kinds: [kind] }
const noBytes = Buffer.alloc(0)
const { schema } = admissionV1.kinds.find(({ gvk }) => gvk.kind === kind)!

/** Decodes and checks the response of a webhook. The version v1beta1 has fewer checks. */
export function decodeReview(body: Buffer, { version, uid, isMutating }: DecodeOptions): DecodedResponse {
  const { review, problem } = parseReview(body, { ...expectedReview, version })
  if (review === undefined) return { problem: `failed to call webhook: ${problem}` }
  let response: AdmissionReview['response']
  try {
    // The responses of both versions have the same fields.
    response = decodeStruct<AdmissionReview>(schema, review).object.response
  } catch (error) {
    return { problem: `failed to call webhook: ${getErrorMessage(error)}` }
  }
  const createInvalid = (reason: string): DecodedResponse => ({ problem: `received invalid webhook response: ${reason}` })
  if (response === undefined) return createInvalid('webhook response was absent')
  const { patch = '', patchType } = response
  if (version === 'v1') {
    if (response.uid !== uid) return createInvalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid)}`)
    const [apiVersion, sentKind] = [(review['apiVersion'] as string | null) ?? '', (review['kind'] as string | null) ?? '']
    if (apiVersion !== `${group}/v1` || sentKind !== kind) {
      const sent = `${apiVersion === '' ? '/' : apiVersion}, Kind=${sentKind}`
      return createInvalid(`expected webhook response of ${group}/v1, Kind=${kind}, got ${sent}`)
    }
    const wrong = findPatchProblem(patch, patchType, isMutating)
    if (wrong !== undefined) return createInvalid(wrong)
  }
  return {
    response: {
      allowed: response.allowed,
      status: response.status,
      patch: isMutating && patch !== '' ? Buffer.from(patch, 'base64') : noBytes,
      patchType: version === 'v1' ? (patchType ?? '') : 'JSONPatch',
      auditAnnotations: response.auditAnnotations ?? {},
      warnings: response.warnings ?? [],
    },
  }
}

function findPatchProblem(patch: string, patchType: string | undefined, isMutating: boolean): string | undefined {
  if (!isMutating) {
    if (patch !== '') return 'validating webhook may not return response.patch'
    return patchType === undefined ? undefined : 'validating webhook may not return response.patchType'
  }
  if (patch !== '' && patchType === undefined) return 'webhook returned response.patch but not response.patchType'
  if (patch === '' && patchType !== undefined) return 'webhook returned response.patchType but not response.patch'
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined
}
