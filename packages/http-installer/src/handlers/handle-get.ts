import { newBadRequest } from '@keelson/apimachinery'
import { canExport } from '@keelson/registry'
import type { Getter } from '@keelson/registry'
import { negotiateOutput } from '../negotiation/negotiate.ts'
import { parseLooseBoolean } from './query-options.ts'
import type { ApiRequest } from '../routing/scope.ts'
import { writeResult } from '../encoding/write-object.ts'

export async function handleGet({ exchange, scope, name, query }: ApiRequest): Promise<void> {
  const negotiated = negotiateOutput(exchange, scope.endpoint)
  if (query.has('export') && parseLooseBoolean(query.get('export'))) {
    if (!canExport(scope.storage)) throw newBadRequest(`export of ${JSON.stringify(scope.resource)} is not supported`)
    const exact = query.has('exact') && parseLooseBoolean(query.get('exact'))
    return writeResult({ exchange, scope, query, negotiated }, 200, await scope.storage.export(exchange, name, { exact }))
  }
  const resourceVersion = query.get('resourceVersion')
  const result = await (scope.storage as unknown as Getter).get(exchange, name, resourceVersion === null ? {} : { resourceVersion })
  return writeResult({ exchange, scope, query, negotiated }, 200, result)
}
