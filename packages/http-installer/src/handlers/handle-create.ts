import { createObject } from '@keelson/registry'
import type { Creater, NamedCreater, RESTStorage } from '@keelson/registry'
import { negotiateInput, negotiateOutput } from '../negotiation/negotiate.ts'
import { parseWriteOptions } from './query-options.ts'
import { readBody, sentBody } from './read-body.ts'
import type { Handler } from '../routing/scope.ts'
import { writeResult } from '../encoding/write-object.ts'

/** POST on a collection, or on one object's subresource. */
export function handleCreate(storage: RESTStorage & (Creater | NamedCreater)): Handler {
  return async ({ exchange, scope, name, query }) => {
    const negotiated = negotiateOutput(exchange, scope.endpoint)
    const form = negotiateInput(exchange)
    const bytes = await readBody(exchange, scope.settings.maxRequestBodyBytes)
    const options = parseWriteOptions(query, 'CreateOptions')
    const parsing = sentBody(exchange, { form, bytes })
    const sent = parsing instanceof Promise ? await parsing : parsing
    const result = await createObject(storage, { route: scope, context: exchange, name, options, sent })
    return writeResult({ exchange, scope, query, negotiated }, 201, result)
  }
}
