import type { Getter } from '@keelson/registry'
import { negotiateOutput } from './negotiate.ts'
import type { ApiRequest } from './scope.ts'
import { writeResult } from './write-object.ts'

export async function handleGet({ c, scope, context, name, query }: ApiRequest): Promise<Response> {
  const negotiated = negotiateOutput(c.req.header('accept'))
  const resourceVersion = query.get('resourceVersion')
  const result = await (scope.storage as unknown as Getter).get(context, name, resourceVersion === null ? {} : { resourceVersion })
  return writeResult({ c, scope, query, negotiated }, 200, result)
}
