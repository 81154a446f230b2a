import type { DeepReadonly, ObjectMeta } from '@keelson/apimachinery'
import type { RestResult } from '@keelson/registry'
import { isStoredObject } from '@keelson/storagebackend'

export function metaOf(result: RestResult): DeepReadonly<ObjectMeta> {
  return isStoredObject(result) ? result.object().metadata : (result.metadata ?? {})
}
