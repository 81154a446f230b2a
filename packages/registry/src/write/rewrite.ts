import type { KubeObject, RequestContext } from '@keelson/apimachinery'
import type { ObjectPreconditions } from '@keelson/storagebackend'
import type { StoreParts } from '../store-parts.ts'
import { translateError } from '../translate-error.ts'
import { writeTarget } from './target.ts'
import type { Written } from './target.ts'

export interface Rewrite<T extends KubeObject> {
  /** Gets its own copy, and may change and return it. */
  readonly change: (current: T) => T
  readonly dryRun: boolean
  readonly preconditions?: ObjectPreconditions | undefined
}

/** Changes an object without strategy, managed fields and admission, for subresources that decide themselves what changes (binding). */
export async function rewrite<T extends KubeObject>(
  parts: StoreParts<T>,
  context: RequestContext,
  name: string,
  { change, dryRun, preconditions }: Rewrite<T>,
): Promise<Written<T>> {
  try {
    return await writeTarget(parts, dryRun).guaranteedUpdate(parts.keys.key(context, name), (current) => ({ object: change(current!) }), {
      ...(preconditions === undefined ? undefined : { preconditions }),
      signal: context.signal,
    })
  } catch (error) {
    throw translateError('update', error, parts.resource, name)
  }
}
