import {
  createApiErrorFromStatus,
  fieldError,
  newFieldPath,
  isApiError,
  newConflict,
  newGenerateNameConflict,
  newInvalid,
  newUnknownError,
  createVerbatimValue,
} from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { ObjectPreconditions } from '@keelson/storagebackend'
import type { UpdateRequest } from '../rest.ts'
import { qualifyResource } from '../store-dependencies.ts'
import type { StoreDependencies, UpdatePlan } from '../store-dependencies.ts'
import { isNotFoundInStorage, translateError } from '../translate-error.ts'
import { readWritten, writeTarget } from './write-target.ts'
import type { Written } from './write-target.ts'

/** One write to one object of a store. */
export interface StoreWrite<T extends KubeObject> {
  readonly dependencies: StoreDependencies<T>
  readonly context: RequestContext
  readonly name: string
  readonly key: string
}

/** Returns the storage option that sets the time to live of the resource's objects. */
export function getTtlOption({ ttlSeconds }: Pick<StoreDependencies<KubeObject>, 'ttlSeconds'>): { ttlSeconds: number } | undefined {
  return ttlSeconds === undefined ? undefined : { ttlSeconds }
}

/** Removes the resourceVersion of a new object. Throws if it is a number other than 0. Any other text is ignored, as in kube-apiserver. */
export function dropResourceVersion({ metadata }: KubeObject): void {
  if (metadata.resourceVersion === undefined) return
  if (/^0*[1-9][0-9]*$/.test(metadata.resourceVersion)) {
    throw newUnknownError('resourceVersion should not be set on objects to be created')
  }
  delete metadata.resourceVersion
}

/**
 * Returns the API error of a failed create. If the name exists already, the error says whether the name was generated, and whether the
 * existing object is being deleted.
 */
export async function explainCreate<T extends KubeObject>(
  { dependencies, context, name, key }: StoreWrite<T>,
  { metadata }: T,
  failure: unknown,
): Promise<unknown> {
  const resource = qualifyResource(dependencies, context)
  const error = translateError('create', failure, resource, name)
  if (!isApiError(error, 'AlreadyExists')) return error
  const collision = (metadata.generateName ?? '') === '' ? error : newGenerateNameConflict(resource, name, 1)
  try {
    const existing = await dependencies.storage.get(key, { span: context.span })
    if (existing.object().metadata.deletionTimestamp === undefined) return collision
  } catch {
    return collision
  }
  return createApiErrorFromStatus({ ...collision.status, message: `object is being deleted: ${collision.message}` }, { cause: error })
}

/** Returns the API error of a failed update. `created` is the new object if the update tried to create one. */
export function explainUpdate<T extends KubeObject>(
  { dependencies, context, name }: StoreWrite<T>,
  created: T | undefined,
  failure: unknown,
): unknown {
  const resource = qualifyResource(dependencies, context)
  if (created === undefined) return translateError('update', failure, resource, name)
  const error = translateError('create', failure, resource, name)
  const generated = (created.metadata.generateName ?? '') !== ''
  return generated && isApiError(error, 'AlreadyExists') ? newGenerateNameConflict(resource, name, 1) : error
}

/**
 * Throws a conflict if the resourceVersion of an update is not that of the stored object. Without a resourceVersion the update applies to
 * the latest object, if the kind allows that.
 */
export function matchVersion<T extends KubeObject>(
  { dependencies, context, name, plan }: StoreWrite<T> & { readonly plan: UpdatePlan<T> },
  { metadata }: T,
  stored: string,
): void {
  const requested = parseVersion(metadata.resourceVersion ?? '')
  const resource = qualifyResource(dependencies, context)
  if (requested === '0') {
    if (!plan.allowUnconditionalUpdate) {
      const error = fieldError.invalid(
        newFieldPath('metadata', 'resourceVersion'),
        createVerbatimValue('0'),
        'must be specified for an update',
      )
      throw newInvalid({ group: resource.group, kind: resource.resource }, name, [error])
    }
    metadata.resourceVersion = stored
  } else if (requested !== stored) {
    throw newConflict(resource, name, 'the object has been modified; please apply your changes to the latest version and try again')
  }
}

/** Returns the resourceVersion without leading zeros, or "0" if there is none. Throws if it is not a number. */
function parseVersion(text: string): string {
  if (text === '') return '0'
  if (!/^[0-9]+$/.test(text)) throw newUnknownError(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`)
  return String(BigInt(text))
}

/** Returns true if this update removed the last finalizer of an object whose deletion has begun and whose grace period is 0. */
export function mayBeRemoved<T extends KubeObject>({ definition }: StoreDependencies<T>, object: T, old: DeepReadonly<T>): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || old.metadata.deletionTimestamp === undefined) return false
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false
  return definition.deletion?.isReadyToRemove(object as DeepReadonly<T>) ?? true
}

/** Removes an object from the storage after an update has removed its last finalizer. */
export async function removeFinalized<T extends KubeObject>(
  { dependencies, context, name, key }: StoreWrite<T>,
  { dryRun, preconditions }: Pick<UpdateRequest, 'dryRun' | 'preconditions'>,
): Promise<void> {
  try {
    const removed = await writeTarget(dependencies, context, dryRun).delete(key, {
      ...(preconditions === undefined ? undefined : { preconditions }),
      signal: context.signal,
      span: context.span,
    })
    if (!dryRun) await dependencies.hooks.afterDelete?.(readWritten(removed))
  } catch (error) {
    // Ignore the error if a concurrent update has already removed the object.
    if (!isNotFoundInStorage(error)) throw translateError('delete', error, qualifyResource(dependencies, context), name)
  }
}

/** A change that runs without strategy, managed fields and admission. */
export interface Rewrite<T extends KubeObject> {
  /** Receives a copy of the current object. It may change and return the copy. */
  readonly change: (current: T) => T
  readonly dryRun: boolean
  readonly preconditions?: ObjectPreconditions | undefined
}

/** Changes an object without running strategy, managed fields and admission. */
export async function rewrite<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  name: string,
  { change, dryRun, preconditions }: Rewrite<T>,
): Promise<Written<T>> {
  const options = { ...(preconditions === undefined ? undefined : { preconditions }), signal: context.signal, span: context.span }
  try {
    const key = dependencies.keys.createKey(context, name)
    return await writeTarget(dependencies, context, dryRun).guaranteedUpdate(key, (current) => ({ object: change(current!) }), options)
  } catch (error) {
    throw translateError('update', error, dependencies.resource, name)
  }
}
