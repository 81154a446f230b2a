import type { CollectionDeleter } from '@keelson/registry'
import { readDeleteOptions } from './delete-options.ts'
import { parseListOptions } from './list-options.ts'
import { negotiateOutput } from './negotiate.ts'
import type { Handler } from './scope.ts'
import { writeList } from './write-list.ts'

/** DELETE of a collection: answers with the list of deleted objects. */
export function handleDeleteCollection(storage: CollectionDeleter): Handler {
  return async ({ c, scope, context, query }) => {
    const negotiated = negotiateOutput(c, scope.endpoint)
    const { predicate, resourceVersion, resourceVersionMatch, limit, continue: token } = parseListOptions(query, scope, '')
    const options = await readDeleteOptions(c, scope, query)
    const dryRun = (options.dryRun ?? []).length > 0
    const deleted = await storage.deleteCollection(
      context,
      { options, dryRun, route: scope },
      { predicate, resourceVersion, resourceVersionMatch, limit, continue: token },
    )
    return writeList({ c, scope, query, negotiated }, deleted)
  }
}
