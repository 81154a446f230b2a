import { restAfter } from '@keelson/apimachinery'
import { canCreate } from '@keelson/registry'
import type { Creater, NamedCreater } from '@keelson/registry'
import { validating } from './admit.ts'
import { decodeBodyInSteps } from './decode-body.ts'
import { withoutDelay } from './decode-document.ts'
import { admitTracked, trackManagers } from './managed-fields.ts'
import { negotiateInput, negotiateOutput } from './negotiate.ts'
import { dedupOwnerReferences, ensureNamespace, wipeSystemFields } from './object-meta.ts'
import { parseWriteOptions } from './query-options.ts'
import { readBody } from './read-body.ts'
import type { ApiRequest } from './scope.ts'
import { writeResult } from './write-object.ts'

/** POST on a collection, or on one object's subresource. */
export async function handleCreate({ c, scope, context, name, query }: ApiRequest): Promise<Response> {
  const negotiated = negotiateOutput(c, scope.endpoint)
  const form = negotiateInput(c)
  const bytes = await readBody(c, scope.settings.maxRequestBodyBytes)
  const options = parseWriteOptions(query, 'CreateOptions')
  const ready = withoutDelay({ form, bytes, cbor: c.env?.cbor }, context)
  const sent = ready instanceof Promise ? await ready : ready
  let began = performance.now()
  const decoding = decodeBodyInSteps(scope, sent, options.fieldValidation, context.warn.bind(context))
  const decoded = decoding instanceof Promise ? await decoding : decoding
  const { object } = decoded
  if (object.metadata !== undefined) {
    if (!(scope.storage as Partial<NamedCreater>).keepsSystemFields) wipeSystemFields(object)
    ensureNamespace(object, scope, context.namespace)
    dedupOwnerReferences(object, (text) => context.warn(text), 'sent')
  }
  const write = { route: scope, context, name: name || (object.metadata?.name ?? ''), dryRun: options.dryRun, options }
  let rest = restAfter(began)
  if (rest !== undefined) await rest
  began = performance.now()
  trackManagers(scope, context, undefined, decoded)
  rest = restAfter(began)
  if (rest !== undefined) await rest
  await admitTracked(write, 'CREATE', object, undefined)
  if (object.metadata !== undefined) dedupOwnerReferences(object, (text) => context.warn(text), 'admitted')
  const request = { dryRun: options.dryRun, validate: validating(write, 'CREATE') }
  const result =
    name === '' || canCreate(scope.storage)
      ? await (scope.storage as unknown as Creater).create(context, object, request)
      : await (scope.storage as unknown as NamedCreater).createNamed(context, name, object, request)
  return writeResult({ c, scope, query, negotiated }, 201, result)
}
