import { isApiError, isJsonObject, getErrorMessage, newInternal, parseJson, equalsSemantically } from '@keelson/apimachinery'
import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { applyJsonPatchInSlices, decodeJsonPatch, getFailedOperation } from '@keelson/apimachinery/patch'
import { formatJsonTypeProblem } from '@keelson/outbound'
import type { VersionedObject } from '@keelson/registry'
import type { AdmissionAttributes } from '../admission.ts'
import type { ReviewResponse } from './admission-review.ts'
import { formatFailure } from './call-hook.ts'
import type { HookOutcome } from './call-hook.ts'
import type { MatchedResource } from '../matching/match-criteria.ts'
import type { Invocation } from './match-hook.ts'

/** The result of applying a webhook's patch. */
export type AppliedPatch =
  | {
      readonly changed: boolean
      /** The operations of the patch. Undefined if it was empty. */
      readonly operations: readonly JsonObject[] | undefined
      readonly failure?: undefined
    }
  | { readonly failure: HookOutcome }

/**
 * Applies the patch of a webhook to the object in the version that the webhook got, and replaces the object of the write. An invalid patch
 * counts as a failed call. A patch that does not fit the object refuses the write, whatever the failure policy is.
 */
export async function applyHookPatch(
  { hook, matched, objects }: Invocation,
  { patch, patchType }: ReviewResponse,
  attributes: AdmissionAttributes,
): Promise<AppliedPatch> {
  let operations: readonly JsonObject[]
  try {
    operations = decodeOperations(patch)
  } catch (error) {
    const message = formatFailure(hook, `received undecodable patch in webhook response: ${describeFailure(error)}`)
    return { failure: { kind: 'failed', message, code: 503 } }
  }
  if (operations.length === 0) return { changed: false, operations: undefined }
  const { object } = objects
  if (object === undefined) {
    const message = `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`
    return { failure: { kind: 'refused', error: newInternal(message) } }
  }
  if (patchType !== 'JSONPatch') {
    const message = formatFailure(hook, `unsupported patch type ${JSON.stringify(patchType)}`)
    return { failure: { kind: 'failed', message, code: 400 } }
  }
  let changed: boolean
  try {
    const patched = await applyJsonPatchInSlices(object as unknown as JsonValue, operations, { signal: () => attributes.context.signal })
    const decoded: VersionedObject = attributes.decode(matched.kind, patched, { checksKind: true })
    const hasNewTimes = dropsFractions(attributes, matched)
    changed = hasNewTimes || !equalsSemantically(object, decoded)
    await attributes.replace(decoded)
  } catch (error) {
    attributes.context.signal.throwIfAborted()
    const isOwn = isApiError(error) && getFailedOperation(error) === undefined
    return { failure: { kind: 'refused', error: isOwn ? error : newInternal(describeFailure(error), { cause: error }) } }
  }
  return { changed, operations }
}

/** Writes whose object has been patched by a webhook. */
const patchedWrites = new WeakSet<AdmissionAttributes>()

/**
 * Returns whether kube-apiserver counts a patch as a change although the object stays the same. Managed fields that the write itself has set
 * have times with fractions of a second there. The first patch drops the fractions. Custom resources never have them.
 */
function dropsFractions(attributes: AdmissionAttributes, { kind }: MatchedResource): boolean {
  if (patchedWrites.has(attributes)) return false
  patchedWrites.add(attributes)
  if (attributes.schemaOf(kind)?.mergeType !== undefined) return false
  const { object, oldObject } = attributes
  const old = new Set((oldObject?.metadata?.managedFields ?? []).map((entry) => JSON.stringify(entry)))
  return (object?.metadata?.managedFields ?? []).some((entry) => !old.has(JSON.stringify(entry)))
}

/** Decodes a patch. Throws errors with the messages of the library that kube-apiserver uses for webhooks. */
function decodeOperations(patch: Buffer): readonly JsonObject[] {
  const parsed = parseJson(patch)
  const { value } = parsed
  if (value !== null && !Array.isArray(value)) throw new Error(formatJsonTypeProblem(value, '', 'jsonpatch.Patch'))
  for (const operation of value ?? []) {
    if (operation !== null && !isJsonObject(operation)) throw new Error(formatJsonTypeProblem(operation, '', 'jsonpatch.Operation'))
  }
  return decodeJsonPatch(parsed).operations
}

/** Returns the message of an error. If it is an error of the PATCH verb, returns the message of the operation that failed. */
function describeFailure(error: unknown): string {
  return getFailedOperation(error)?.message ?? getErrorMessage(error)
}
