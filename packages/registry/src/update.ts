import {
  fieldError,
  fieldPath,
  isApiError,
  newConflict,
  newGenerateNameConflict,
  newInvalid,
  newNotFound,
  newUnknownError,
  restAfter,
  verbatim,
} from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { StoredObject } from '@keelson/storagebackend'
import { prepareNew, timeToLive } from './create.ts'
import { keepManagerTimes } from './keep-manager-times.ts'
import { beforeUpdate } from './prepare-update.ts'
import type { UpdatedObjectInfo, UpdateRequest } from './rest.ts'
import { BegunHook } from './store-hooks.ts'
import { qualifiedResource } from './store-parts.ts'
import type { StoreParts, UpdatePlan } from './store-parts.ts'
import { isNotFoundInStorage, translateError } from './translate-error.ts'
import { readWritten, writeTarget } from './write-target.ts'
import type { Written } from './write-target.ts'

/** What one round, on one state of the store, came to. The round runs again when that state was not the latest. */
type Round<T> = { readonly kind: 'create' | 'update' | 'delete'; readonly object: T }

export interface UpdateOutcome<T extends KubeObject> {
  readonly object: Written<T>
  readonly created: boolean
}

/** One PUT or PATCH, with all that belongs to it. */
interface Update<T extends KubeObject> {
  readonly parts: StoreParts<T>
  readonly plan: UpdatePlan<T>
  readonly context: RequestContext
  readonly name: string
  readonly key: string
  readonly info: UpdatedObjectInfo
  readonly request: UpdateRequest
  readonly hook: BegunHook
}

/** Reads, changes, checks, writes; again after each lost race. Creates where that is allowed, and removes what only waited for its last finalizer. */
export async function update<T extends KubeObject>(
  parts: StoreParts<T>,
  plan: UpdatePlan<T>,
  context: RequestContext,
  change: { readonly name: string; readonly info: UpdatedObjectInfo; readonly request: UpdateRequest },
): Promise<UpdateOutcome<T>> {
  const { name, info, request } = change
  const run: Update<T> = { parts, plan, context, name, key: parts.keys.key(context, name), info, request, hook: new BegunHook() }
  let last = undefined as Round<T> | undefined
  try {
    const object = await writeTarget(parts, request.dryRun).guaranteedUpdate(
      run.key,
      async (current, stored) => {
        last = undefined
        if (run.hook.begun) await run.hook.abandon()
        last = current === undefined || stored === undefined ? await roundOnNothing(run) : await roundOnObject(run, current, stored)
        if (last.kind === 'delete') return undefined
        return { object: last.object, ...timeToLive(parts, last.object) }
      },
      {
        ignoreNotFound: mayCreate(run),
        sharesCurrent: info.leavesCurrent === true,
        ...(info.preconditions === undefined ? undefined : { preconditions: info.preconditions }),
        signal: context.signal,
      },
    )
    if (last?.kind !== 'delete') {
      if (run.hook.begun) await run.hook.succeed()
      return { object, created: last?.kind === 'create' }
    }
  } catch (error) {
    await run.hook.fail(error)
    throw explain(run, last, error)
  }
  await run.hook.abandon()
  return removeFinalized(run, last.object)
}

function mayCreate<T extends KubeObject>({ plan, request }: Update<T>): boolean {
  return plan.allowCreateOnUpdate || (plan.mayForceCreate && request.forceAllowCreate === true)
}

async function roundOnNothing<T extends KubeObject>(run: Update<T>): Promise<Round<T>> {
  const { parts, plan, context, name, info, request, hook } = run
  if (!mayCreate(run)) throw newNotFound(qualifiedResource(parts, context), name)
  const object = (await info.updatedObject(undefined)) as T
  await prepareNew(parts, context, object, { dryRun: request.dryRun, validate: request.validateCreate, begins: plan.begins, hook })
  if (!request.dryRun) delete object.metadata.resourceVersion
  return { kind: 'create', object }
}

async function roundOnObject<T extends KubeObject>(run: Update<T>, current: T, stored: StoredObject<T>): Promise<Round<T>> {
  const { parts, plan, context, info, request, hook } = run
  const { hooks } = parts
  const old = stored.object()
  const object = (await info.updatedObject(current)) as T
  matchVersion(run, object, String(stored.revision))
  if (plan.begins && hooks.beginUpdate !== undefined) {
    await hook.begin(() => hooks.beginUpdate!(context, object, old, { dryRun: request.dryRun }))
  }
  try {
    const began = performance.now()
    const prepared = beforeUpdate(parts, plan, context, object, old)
    if (prepared !== undefined) await prepared
    keepManagerTimes(object, old)
    await request.validateUpdate?.(object, old as KubeObject)
    const rest = restAfter(began)
    if (rest !== undefined) await rest
  } catch (error) {
    await hook.abandon()
    throw error
  }
  return { kind: mayBeRemoved(parts, object, old) ? 'delete' : 'update', object }
}

/** No version means the latest, where the kind allows it. */
function matchVersion<T extends KubeObject>({ parts, plan, context, name }: Update<T>, { metadata }: T, stored: string): void {
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

/** Its deletion was asked, no grace period runs, and this change took away the last thing that held it. */
function mayBeRemoved<T extends KubeObject>({ definition }: StoreParts<T>, object: T, old: DeepReadonly<T>): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || old.metadata.deletionTimestamp === undefined) return false
  if ((old.metadata.deletionGracePeriodSeconds ?? 0) !== 0) return false
  return definition.deletion?.readyToRemove(object as DeepReadonly<T>) ?? true
}

/** Who took the last finalizer away gets the object as that change left it. */
async function removeFinalized<T extends KubeObject>(run: Update<T>, object: T): Promise<UpdateOutcome<T>> {
  const { parts, context, name, key, info, request } = run
  try {
    const removed = await writeTarget(parts, request.dryRun).delete(key, {
      ...(info.preconditions === undefined ? undefined : { preconditions: info.preconditions }),
      signal: context.signal,
    })
    if (!request.dryRun) await parts.hooks.afterDelete?.(readWritten(removed))
  } catch (error) {
    // Another update may have removed the last finalizer too, and been first.
    if (!isNotFoundInStorage(error)) throw translateError('delete', error, qualifiedResource(parts, context), name)
  }
  return { object, created: false }
}

function explain<T extends KubeObject>({ parts, context, name }: Update<T>, last: Round<T> | undefined, error: unknown): unknown {
  const resource = qualifiedResource(parts, context)
  if (last?.kind !== 'create') return translateError('update', error, resource, name)
  const translated = translateError('create', error, resource, name)
  const generated = (last.object.metadata.generateName ?? '') !== ''
  return generated && isApiError(translated, 'AlreadyExists') ? newGenerateNameConflict(resource, name, 1) : translated
}
