import type { GracefulDeleter } from '@keelson/registry'
import { blankObject } from '../encoding/blank-object.ts'
import { readDeleteOptions } from './delete-options.ts'
import { negotiateOutput } from '../negotiation/negotiate.ts'
import { metaOf } from '../encoding/rest-result.ts'
import type { Handler } from '../routing/scope.ts'
import { writeResult } from '../encoding/write-object.ts'
import { writeStatus } from '../encoding/write-error.ts'

/** DELETE of one object: answers with a Status if it is gone, with the object if it waits for something or the resource wants that. */
export function handleDelete(storage: GracefulDeleter): Handler {
  return async ({ exchange, scope, name, query }) => {
    const negotiated = negotiateOutput(exchange, scope.endpoint)
    const options = await readDeleteOptions(exchange, scope, query)
    const dryRun = (options.dryRun ?? []).length > 0
    const { object, immediate, blank = false } = await storage.delete(exchange, name, { options, dryRun, route: scope })
    if (blank) return writeResult({ exchange, scope, query, negotiated }, 200, blankObject(scope, {}))
    if (!immediate || storage.returnsDeletedObject) {
      return writeResult({ exchange, scope, query, negotiated }, !immediate && options.orphanDependents === false ? 202 : 200, object)
    }
    const { uid } = metaOf(object)
    const { group, resource } = scope.groupResource
    return writeStatus(exchange, 200, {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name, ...(group === '' ? undefined : { group }), kind: resource, ...(uid === undefined ? undefined : { uid }) },
    })
  }
}
