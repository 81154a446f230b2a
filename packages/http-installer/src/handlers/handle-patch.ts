import { newUnsupportedMediaType } from '@keelson/apimachinery'
import type { Change, MergePatchType, Updater } from '@keelson/registry'
import { mediaTypeOf } from '@keelson/exchange'
import { negotiateOutput } from '../negotiation/negotiate.ts'
import { cborApplyPatchType, isApply, patchTypes } from './patch-types.ts'
import { parseWriteOptions } from './query-options.ts'
import { readBody, sentBody } from './read-body.ts'
import type { Handler } from '../routing/scope.ts'
import { writeResult } from '../encoding/write-object.ts'

/** PATCH. A lost race applies the patch again to the newer object, so a race fails it only if the patch names a resourceVersion. */
export function handlePatch(storage: Updater): Handler {
  return async ({ exchange, scope, name, query }) => {
    const patchType = mediaTypeOf(exchange.contentType)
    const taken = patchTypes(exchange)
    // Dispatch accepts several types in the header; a body has one.
    if (!taken.includes(patchType)) throw newUnsupportedMediaType(taken)
    const negotiated = negotiateOutput(exchange, scope.endpoint)
    const bytes = await readBody(exchange, scope.settings.maxRequestBodyBytes)
    const options = parseWriteOptions(query, 'PatchOptions', patchType)
    const { dryRun } = options
    let change: Change
    if (isApply(patchType)) {
      const parsing = sentBody(exchange, { form: patchType === cborApplyPatchType ? 'cbor' : 'yaml', bytes })
      change = { kind: 'apply', configuration: parsing instanceof Promise ? await parsing : parsing }
    } else change = { kind: 'patch', type: patchType as MergePatchType, body: bytes }
    const { object, created } = await storage.update(exchange, name, { change, dryRun, route: scope, options })
    return writeResult({ exchange, scope, query, negotiated }, created ? 201 : 200, object)
  }
}
