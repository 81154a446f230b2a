import { newConflict, newUnsupportedMediaType } from '@keelson/apimachinery'
import type { UpdatedObjectInfo, Updater } from '@keelson/registry'
import { validating, validatingCreate } from './admit.ts'
import { contentTypeOf } from './context.ts'
import { admitTracked } from './managed-fields.ts'
import { negotiateOutput } from './negotiate.ts'
import { checkName, dedupOwnerReferences, ensureNamespace } from './object-meta.ts'
import { applyPatchType, patchMechanism, patchTypes } from './patch-mechanism.ts'
import { parseWriteOptions } from './query-options.ts'
import { readBody } from './read-body.ts'
import type { ApiRequest } from './scope.ts'
import { writeResult } from './write-object.ts'

export { patchTypes }

/** PATCH. A lost race runs the patch again on the newer object, so it fails for one only when it names a resourceVersion. */
export async function handlePatch({ c, scope, context, name, query }: ApiRequest): Promise<Response> {
  const patchType = (contentTypeOf(c) ?? '').split(';')[0]!.trim()
  // The first look at the header takes any of several types; a body has one.
  if (!patchTypes.includes(patchType)) throw newUnsupportedMediaType(patchTypes)
  const negotiated = negotiateOutput(c.req.header('accept'))
  const body = await readBody(c, scope.settings.maxRequestBodyBytes)
  const options = parseWriteOptions(query, 'PatchOptions', patchType)
  const warn = (text: string): void => context.warn(text)
  const apply = patchMechanism({ scope, context, patchType, body, options })
  const write = { scope, context, name, dryRun: options.dryRun, options }
  const info: UpdatedObjectInfo = {
    // The others decode an object of their own.
    leavesCurrent: patchType !== applyPatchType,
    async updatedObject(current) {
      const object = apply(current)
      const { uid = '' } = object.metadata
      if (current === undefined && uid !== '') {
        const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
        throw newConflict(scope.groupResource, name, why)
      }
      ensureNamespace(object, scope, context.namespace)
      checkName(object, name)
      await admitTracked(write, current === undefined ? 'CREATE' : 'UPDATE', object, current)
      dedupOwnerReferences(object, warn, 'admitted')
      return object
    },
  }
  const { object, created } = await (scope.storage as unknown as Updater).update(context, name, info, {
    dryRun: options.dryRun,
    validateCreate: validatingCreate(write),
    validateUpdate: validating(write, 'UPDATE'),
    forceAllowCreate: patchType === applyPatchType,
  })
  return writeResult({ c, scope, query, negotiated }, created ? 201 : 200, object)
}
