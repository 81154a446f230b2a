import { newMethodNotSupported } from '@keelson/apimachinery'
import { canList, canWatch } from '@keelson/registry'
import { parseListOptions } from './list-options.ts'
import { negotiateOutput } from '../negotiation/negotiate.ts'
import type { ApiRequest } from '../routing/scope.ts'
import { serveWatch } from '../watch/serve-watch.ts'
import { writeList } from '../encoding/write-list.ts'

/** GET of a collection: a list, or with `watch` a stream of changes. */
export async function handleList(request: ApiRequest): Promise<void> {
  const { exchange, scope, name, query } = request
  const negotiated = negotiateOutput(exchange, scope.endpoint)
  const options = parseListOptions(query, scope, name, exchange.info.pathVerb === 'watch')
  if (options.watch) {
    if (!canWatch(scope.storage)) throw newMethodNotSupported(scope.groupResource, 'watch')
    return serveWatch(request, scope.storage, options)
  }
  if (!canList(scope.storage)) throw newMethodNotSupported(scope.groupResource, 'list')
  const { predicate, resourceVersion, resourceVersionMatch, limit } = options
  const list = await scope.storage.list(exchange, { predicate, resourceVersion, resourceVersionMatch, limit, continue: options.continue })
  return writeList({ exchange, scope, query, negotiated }, list)
}
