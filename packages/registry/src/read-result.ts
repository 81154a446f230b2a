import type { DeepReadonly, KubeObject } from '@keelson/apimachinery'
import { isStoredObject } from '@keelson/storagebackend'
import type { RestResult } from './rest.ts'

/** The object of a result, for readers in process. Shared: never write to it. */
export function readResult<T extends KubeObject>(result: RestResult): DeepReadonly<T> {
  return (isStoredObject(result) ? result.object() : result) as DeepReadonly<T>
}
