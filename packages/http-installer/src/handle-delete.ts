import type { GracefulDeleter } from '@keelson/registry'
import { admittingDelete } from './admit.ts'
import { blankObject } from './blank-object.ts'
import { readDeleteOptions } from './delete-options.ts'
import { negotiateOutput } from './negotiate.ts'
import { metaOf } from './result-meta.ts'
import type { ApiRequest } from './scope.ts'
import { writeResult } from './write-object.ts'
import { writeStatus } from './write-error.ts'

/** DELETE of one object: a Status when it is gone, the object when it waits for something or the resource says so. */
export async function handleDelete({ c, scope, context, name, query }: ApiRequest): Promise<Response> {
  const negotiated = negotiateOutput(c, scope.endpoint)
  const options = await readDeleteOptions(c, scope, query)
  const dryRun = (options.dryRun ?? []).length > 0
  const storage = scope.storage as unknown as GracefulDeleter
  const validate = admittingDelete({ route: scope, context, name, dryRun, options })
  const { object, immediate, blank = false } = await storage.delete(context, name, { options, dryRun, validate })
  if (blank) return writeResult({ c, scope, query, negotiated }, 200, blankObject(scope, {}))
  if (!immediate || storage.returnsDeletedObject) {
    return writeResult({ c, scope, query, negotiated }, !immediate && options.orphanDependents === false ? 202 : 200, object)
  }
  const { uid } = metaOf(object)
  const { group, resource } = scope.groupResource
  return writeStatus(c, 200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group === '' ? undefined : { group }), kind: resource, ...(uid === undefined ? undefined : { uid }) },
  })
}
