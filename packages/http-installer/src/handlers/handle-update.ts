import type { Updater } from '@keelson/registry'
import { negotiateInput, negotiateOutput } from '../negotiation/negotiate.ts'
import { parseWriteOptions } from './query-options.ts'
import { readBody, sentBody } from './read-body.ts'
import type { Handler } from '../routing/scope.ts'
import { writeResult } from '../encoding/write-object.ts'

/** PUT. */
export function handleUpdate(storage: Updater): Handler {
  return async ({ exchange, scope, name, query }) => {
    const negotiated = negotiateOutput(exchange, scope.endpoint)
    const bytes = await readBody(exchange, scope.settings.maxRequestBodyBytes)
    const options = parseWriteOptions(query, 'UpdateOptions')
    const parsing = sentBody(exchange, { form: negotiateInput(exchange), bytes })
    const body = parsing instanceof Promise ? await parsing : parsing
    const { dryRun } = options
    const { object, created } = await storage.update(exchange, name, { change: { kind: 'replace', body }, dryRun, route: scope, options })
    return writeResult({ exchange, scope, query, negotiated }, created ? 201 : 200, object)
  }
}
