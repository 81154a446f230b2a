import { coreV1 } from '@keelson/api/core/v1'
import type { GroupResource, KubeObject } from '@keelson/apimachinery'
import { newRawStorage } from '@keelson/registry'
import type { Storage } from '@keelson/storagebackend'
import type { GenericConfig } from './build-generic-config.ts'

/**
 * Opens storage for internal objects that no API resource serves. In kube-apiserver's encoding these objects contain no name; the storage
 * key is their only name.
 */
export function openSystemStorage<T extends KubeObject>(
  { restOptionsGetter }: Pick<GenericConfig, 'restOptionsGetter'>,
  { resource, prefix: path, kind }: { readonly resource: string; readonly prefix: string; readonly kind: string },
): { readonly storage: Storage<T>; readonly prefix: string } {
  const groupResource: GroupResource = { group: '', resource }
  const { backend, createCodec, resourcePrefix, transformer, now } = restOptionsGetter.getRESTOptions(groupResource, { prefix: path })
  const type = coreV1.kinds.find(({ gvk }) => gvk.kind === kind)
  if (type === undefined) throw new Error(`unknown kind ${kind}`)
  const prefix = `${resourcePrefix}/`
  const storage = newRawStorage<T>({
    backend,
    codec: createCodec<T>({ kind: type, selectableFields: {}, namedByKey: true }),
    resource: groupResource,
    prefix,
    ...(transformer === undefined ? {} : { transformer }),
    ...(now === undefined ? {} : { now }),
  })
  return { storage, prefix }
}
