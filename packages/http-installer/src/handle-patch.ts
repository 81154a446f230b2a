import { newConflict, newUnsupportedMediaType, restAfter } from '@keelson/apimachinery'
import { parseYamlInThread } from '@keelson/apimachinery/yaml'
import type { UpdatedObjectInfo, Updater } from '@keelson/registry'
import { validating, validatingCreate } from './admit.ts'
import { contentTypeOf } from './context.ts'
import { admitTracked } from './managed-fields.ts'
import { negotiateOutput } from './negotiate.ts'
import { checkName, dedupOwnerReferences, ensureNamespace } from './object-meta.ts'
import { patchMechanism } from './patch-mechanism.ts'
import { isApply, isYaml, patchTypes } from './patch-types.ts'
import { parseWriteOptions } from './query-options.ts'
import { readBody } from './read-body.ts'
import type { ApiRequest } from './scope.ts'
import { writeResult } from './write-object.ts'

/** PATCH. A lost race runs the patch again on the newer object, so it fails for one only when it names a resourceVersion. */
export async function handlePatch({ c, scope, context, name, query }: ApiRequest): Promise<Response> {
  const patchType = (contentTypeOf(c) ?? '').split(';')[0]!.trim()
  const taken = patchTypes(c)
  // The first look at the header takes any of several types; a body has one.
  if (!taken.includes(patchType)) throw newUnsupportedMediaType(taken)
  const negotiated = negotiateOutput(c, scope.endpoint)
  const body = await readBody(c, scope.settings.maxRequestBodyBytes)
  const options = parseWriteOptions(query, 'PatchOptions', patchType)
  const warn = (text: string): void => context.warn(text)
  const cbor = c.env?.cbor
  const pending = isYaml(patchType) ? parseYamlInThread(body, () => context.signal) : undefined
  const yaml = pending === undefined ? undefined : await pending
  const apply = patchMechanism({ scope, context, patchType, body, cbor, yaml, options })
  const write = { route: scope, context, name, dryRun: options.dryRun, options }
  const info: UpdatedObjectInfo = {
    // Each kind of patch makes an object of its own.
    leavesCurrent: true,
    async updatedObject(current) {
      const began = performance.now()
      const made = apply(current)
      const object = made instanceof Promise ? await made : made
      const rest = restAfter(began)
      if (rest !== undefined) await rest
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
    validateCreate: validatingCreate(write, scope),
    validateUpdate: validating(write, 'UPDATE'),
    forceAllowCreate: isApply(patchType),
  })
  return writeResult({ c, scope, query, negotiated }, created ? 201 : 200, object)
}
