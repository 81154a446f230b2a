import { newBadRequest } from '@keelson/apimachinery'
import { canExport } from '@keelson/registry'
import type { Getter, RESTStorage } from '@keelson/registry'
import { negotiateOutput } from '../negotiation/negotiate.ts'
import { parseLooseBoolean } from './query-options.ts'
import type { Handler } from '../routing/scope.ts'
import { writeResult } from '../encoding/write-object.ts'

/** GET of one object, also as an export. */
export function handleGet(storage: RESTStorage & Getter): Handler {
  return async ({ exchange, scope, name, query }) => {
    const negotiated = negotiateOutput(exchange, scope.endpoint)
    if (query.has('export') && parseLooseBoolean(query.get('export'))) {
      if (!canExport(storage)) throw newBadRequest(`export of ${JSON.stringify(scope.resource)} is not supported`)
      const exact = query.has('exact') && parseLooseBoolean(query.get('exact'))
      return writeResult({ exchange, scope, query, negotiated }, 200, await storage.export(exchange, name, { exact }))
    }
    const resourceVersion = query.get('resourceVersion')
    const result = await storage.get(exchange, name, resourceVersion === null ? {} : { resourceVersion })
    return writeResult({ exchange, scope, query, negotiated }, 200, result)
  }
}
