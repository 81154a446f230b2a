import { restAfter } from '@keelson/apimachinery'
import type { UpdatedObjectInfo, Updater } from '@keelson/registry'
import { validating, validatingCreate } from './admit.ts'
import { decodeBody, decodeBodyInSteps } from './decode-body.ts'
import type { DecodedBody } from './decode-body.ts'
import { admitTracked, trackManagers } from './managed-fields.ts'
import { withoutDelay } from './decode-document.ts'
import { negotiateInput, negotiateOutput } from './negotiate.ts'
import { checkName, dedupOwnerReferences, ensureNamespace } from './object-meta.ts'
import { parseWriteOptions } from './query-options.ts'
import { readBody } from './read-body.ts'
import type { ApiRequest } from './scope.ts'
import { writeResult } from './write-object.ts'

/** PUT. */
export async function handleUpdate({ c, scope, context, name, query }: ApiRequest): Promise<Response> {
  const negotiated = negotiateOutput(c, scope.endpoint)
  const bytes = await readBody(c, scope.settings.maxRequestBodyBytes)
  const options = parseWriteOptions(query, 'UpdateOptions')
  const ready = withoutDelay({ form: negotiateInput(c), bytes, cbor: c.env?.cbor }, context)
  const sent = ready instanceof Promise ? await ready : ready
  const warn = (text: string): void => context.warn(text)
  const checked = (body: DecodedBody): DecodedBody => {
    const { object } = body
    ensureNamespace(object, scope, context.namespace)
    checkName(object, name)
    dedupOwnerReferences(object, warn, 'sent')
    return body
  }
  const began = performance.now()
  const decoding = decodeBodyInSteps(scope, sent, options.fieldValidation, warn)
  let decoded: DecodedBody | undefined = checked(decoding instanceof Promise ? await decoding : decoding)
  const rest = restAfter(began)
  if (rest !== undefined) await rest
  const { uid } = decoded.object.metadata
  const write = { route: scope, context, name, dryRun: options.dryRun, options }
  const info: UpdatedObjectInfo = {
    ...(uid ? { preconditions: { uid } } : undefined),
    leavesCurrent: true,
    async updatedObject(current) {
      // The registry changes what it is given, so a later round reads the body again.
      const body = decoded ?? checked(decodeBody(scope, sent, options.fieldValidation, warn))
      decoded = undefined
      const { object } = body
      const tracking = performance.now()
      trackManagers(scope, context, current, body)
      const rest = restAfter(tracking)
      if (rest !== undefined) await rest
      await admitTracked(write, current === undefined ? 'CREATE' : 'UPDATE', object, current)
      dedupOwnerReferences(object, warn, 'admitted')
      return object
    },
  }
  const { object, created } = await (scope.storage as unknown as Updater).update(context, name, info, {
    dryRun: options.dryRun,
    validateCreate: validatingCreate(write, scope),
    validateUpdate: validating(write, 'UPDATE'),
  })
  return writeResult({ c, scope, query, negotiated }, created ? 201 : 200, object)
}
