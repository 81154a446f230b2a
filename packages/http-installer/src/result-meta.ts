import type { DeepReadonly, ObjectMeta } from '@keelson/apimachinery'
import type { RestResult } from '@keelson/registry'
import { isStoredObject, readMetadata } from '@keelson/storagebackend'

export function metaOf(result: RestResult): DeepReadonly<ObjectMeta> {
  return isStoredObject(result) ? readMetadata(result) : (result.metadata ?? {})
}
