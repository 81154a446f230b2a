import type { CollectionDeleter } from '@keelson/registry'
import { readDeleteOptions } from './delete-options.ts'
import { parseListOptions } from './list-options.ts'
import { negotiateOutput } from '../negotiation/negotiate.ts'
import type { Handler } from '../routing/scope.ts'
import { writeList } from '../encoding/write-list.ts'

/** DELETE of a collection: answers with the list of deleted objects. */
export function handleDeleteCollection(storage: CollectionDeleter): Handler {
  return async ({ exchange, scope, query }) => {
    const negotiated = negotiateOutput(exchange, scope.endpoint)
    const { predicate, resourceVersion, resourceVersionMatch, limit, continue: token } = parseListOptions(query, scope, '')
    const options = await readDeleteOptions(exchange, scope, query)
    const dryRun = (options.dryRun ?? []).length > 0
    const deleted = await storage.deleteCollection(
      exchange,
      { options, dryRun, route: scope },
      { predicate, resourceVersion, resourceVersionMatch, limit, continue: token },
    )
    return writeList({ exchange, scope, query, negotiated }, deleted)
  }
}
