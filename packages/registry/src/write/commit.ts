import {
  apiErrorFromStatus,
  fieldError,
  fieldPath,
  isApiError,
  newConflict,
  newGenerateNameConflict,
  newInvalid,
  newUnknownError,
  verbatim,
} from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { UpdateRequest } from '../rest.ts'
import { qualifiedResource } from '../store-parts.ts'
import type { StoreParts, UpdatePlan } from '../store-parts.ts'
import { isNotFoundInStorage, translateError } from '../translate-error.ts'
import { readWritten, writeTarget } from './target.ts'

/** One write to one object of a store. */
export interface StoreWrite<T extends KubeObject> {
  readonly parts: StoreParts<T>
  readonly context: RequestContext
  readonly name: string
  readonly key: string
}

export function timeToLive({ ttlSeconds }: Pick<StoreParts<KubeObject>, 'ttlSeconds'>): { ttlSeconds: number } | undefined {
  return ttlSeconds === undefined ? undefined : { ttlSeconds }
}

/** A new object has no version yet. Like in kube-apiserver, a text that is not a number counts as none. */
export function dropResourceVersion({ metadata }: KubeObject): void {
  if (metadata.resourceVersion === undefined) return
  if (/^0*[1-9][0-9]*$/.test(metadata.resourceVersion)) {
    throw newUnknownError('resourceVersion should not be set on objects to be created')
  }
  delete metadata.resourceVersion
}

/** The error of a failed create: says whether the taken name was generated, and whether the present object is being deleted. */
export async function explainCreate<T extends KubeObject>(
  { parts, context, name, key }: StoreWrite<T>,
  { metadata }: T,
  failure: unknown,
): Promise<unknown> {
  const resource = qualifiedResource(parts, context)
  const error = translateError('create', failure, resource, name)
  if (!isApiError(error, 'AlreadyExists')) return error
  const collision = (metadata.generateName ?? '') === '' ? error : newGenerateNameConflict(resource, name, 1)
  try {
    const present = await parts.storage.get(key)
    if (present.object().metadata.deletionTimestamp === undefined) return collision
  } catch {
    return collision
  }
  return apiErrorFromStatus({ ...collision.status, message: `object is being deleted: ${collision.message}` }, { cause: error })
}

/** The error of a failed update. `created`: the object that it was about to create. */
export function explainUpdate<T extends KubeObject>(
  { parts, context, name }: StoreWrite<T>,
  created: T | undefined,
  failure: unknown,
): unknown {
  const resource = qualifiedResource(parts, context)
  if (created === undefined) return translateError('update', failure, resource, name)
  const error = translateError('create', failure, resource, name)
  const generated = (created.metadata.generateName ?? '') !== ''
  return generated && isApiError(error, 'AlreadyExists') ? newGenerateNameConflict(resource, name, 1) : error
}

/** Refuses an update of an old version. No version means the latest, if the kind allows that. */
export function matchVersion<T extends KubeObject>(
  { parts, context, name, plan }: StoreWrite<T> & { readonly plan: UpdatePlan<T> },
  { metadata }: T,
  stored: string,
): void {
  const given = parseVersion(metadata.resourceVersion ?? '')
  const resource = qualifiedResource(parts, context)
  if (given === '0') {
    if (!plan.allowUnconditionalUpdate) {
      const error = fieldError.invalid(fieldPath('metadata', 'resourceVersion'), verbatim('0'), 'must be specified for an update')
      throw newInvalid({ group: resource.group, kind: resource.resource }, name, [error])
    }
    metadata.resourceVersion = stored
  } else if (given !== stored) {
    throw newConflict(resource, name, 'the object has been modified; please apply your changes to the latest version and try again')
  }
}

/** The canonical digits; "0" for none. */
function parseVersion(text: string): string {
  if (text === '') return '0'
  if (!/^[0-9]+$/.test(text)) throw newUnknownError(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`)
  return String(BigInt(text))
}

/** A deletion was requested, no grace period runs, and this change removed the last finalizer. */
export function mayBeRemoved<T extends KubeObject>({ definition }: StoreParts<T>, object: T, old: DeepReadonly<T>): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || old.metadata.deletionTimestamp === undefined) return false
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false
  return definition.deletion?.readyToRemove(object as DeepReadonly<T>) ?? true
}

/** Removes the object whose last finalizer an update removed. */
export async function removeFinalized<T extends KubeObject>(
  { parts, context, name, key }: StoreWrite<T>,
  { dryRun, preconditions }: Pick<UpdateRequest, 'dryRun' | 'preconditions'>,
): Promise<void> {
  try {
    const removed = await writeTarget(parts, dryRun).delete(key, {
      ...(preconditions === undefined ? undefined : { preconditions }),
      signal: context.signal,
    })
    if (!dryRun) await parts.hooks.afterDelete?.(readWritten(removed))
  } catch (error) {
    // Another update may have removed the last finalizer too, and been first.
    if (!isNotFoundInStorage(error)) throw translateError('delete', error, qualifiedResource(parts, context), name)
  }
}
