import type { CollectionDeleter } from '@keelson/registry'
import { admittingDelete } from './admit.ts'
import { readDeleteOptions } from './delete-options.ts'
import { parseListOptions } from './list-options.ts'
import { negotiateOutput } from './negotiate.ts'
import type { ApiRequest } from './scope.ts'
import { writeList } from './write-list.ts'

/** DELETE of a collection: answers the list of what was deleted. */
export async function handleDeleteCollection({ c, scope, context, query }: ApiRequest): Promise<Response> {
  const negotiated = negotiateOutput(c, scope.endpoint)
  const { predicate, resourceVersion, resourceVersionMatch, limit, continue: token } = parseListOptions(query, scope, '')
  const options = await readDeleteOptions(c, scope, query)
  const dryRun = (options.dryRun ?? []).length > 0
  const validate = admittingDelete({ route: scope, context, name: '', dryRun, options })
  const deleted = await (scope.storage as unknown as CollectionDeleter).deleteCollection(
    context,
    { options, dryRun, validate },
    { predicate, resourceVersion, resourceVersionMatch, limit, continue: token },
  )
  return writeList({ c, scope, query, negotiated }, deleted)
}
