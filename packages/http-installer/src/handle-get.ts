import { newBadRequest } from '@keelson/apimachinery'
import { canExport } from '@keelson/registry'
import type { Getter } from '@keelson/registry'
import { negotiateOutput } from './negotiate.ts'
import { parseLooseBoolean } from './query-options.ts'
import type { ApiRequest } from './scope.ts'
import { writeResult } from './write-object.ts'

export async function handleGet({ c, scope, context, name, query }: ApiRequest): Promise<Response> {
  const negotiated = negotiateOutput(c, scope.endpoint)
  if (query.has('export') && parseLooseBoolean(query.get('export'))) {
    if (!canExport(scope.storage)) throw newBadRequest(`export of ${JSON.stringify(scope.resource)} is not supported`)
    const exact = query.has('exact') && parseLooseBoolean(query.get('exact'))
    return writeResult({ c, scope, query, negotiated }, 200, await scope.storage.export(context, name, { exact }))
  }
  const resourceVersion = query.get('resourceVersion')
  const result = await (scope.storage as unknown as Getter).get(context, name, resourceVersion === null ? {} : { resourceVersion })
  return writeResult({ c, scope, query, negotiated }, 200, result)
}
