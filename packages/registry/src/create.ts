import { apiErrorFromStatus, copyObject, isApiError, newGenerateNameConflict, newUnknownError, restAfter } from '@keelson/apimachinery'
import type { KubeObject, RequestContext } from '@keelson/apimachinery'
import { beforeCreate, fillSystemFields } from './prepare-create.ts'
import type { CreateRequest } from './rest.ts'
import { BegunHook } from './store-hooks.ts'
import { qualifiedResource } from './store-parts.ts'
import type { StoreParts } from './store-parts.ts'
import { translateError } from './translate-error.ts'
import { writeTarget } from './write-target.ts'
import type { Written } from './write-target.ts'

/** With five random characters, eight tries make a million names of one prefix collide no more often than once in a thousand. */
const maxNameAttempts = 8

/** The object is the store's from here on; it is changed on the way. */
export async function create<T extends KubeObject>(
  parts: StoreParts<T>,
  context: RequestContext,
  object: T,
  request: CreateRequest,
): Promise<Written<T>> {
  const { name = '', generateName = '' } = object.metadata
  if (name !== '' || generateName === '') return createOnce(parts, context, object, request)
  for (let attempt = 1; ; attempt++) {
    try {
      return await createOnce(parts, context, copyObject(object), request)
    } catch (error) {
      if (attempt === maxNameAttempts || !isApiError(error, 'AlreadyExists')) throw error
    }
  }
}

async function createOnce<T extends KubeObject>(
  parts: StoreParts<T>,
  context: RequestContext,
  object: T,
  request: CreateRequest,
): Promise<Written<T>> {
  const hook = new BegunHook()
  await prepareNew(parts, context, object, { dryRun: request.dryRun, validate: request.validate, begins: true, hook })
  const name = object.metadata.name ?? ''
  const key = parts.keys.key(context, name)
  try {
    if (!request.dryRun) dropResourceVersion(object)
    const written = await writeTarget(parts, request.dryRun).create(key, object, {
      ...timeToLive(parts, object),
      // A getter: most stores never ask, and the request makes its signal when it is asked for.
      get signal() {
        return context.signal
      },
    })
    if (hook.begun) await hook.succeed()
    return written
  } catch (error) {
    await hook.fail(error)
    throw await explainCollision(parts, context, key, object, translateError('create', error, qualifiedResource(parts, context), name))
  }
}

export interface PrepareNewOptions {
  readonly dryRun: boolean
  readonly validate: CreateRequest['validate'] | undefined
  /** As in `UpdatePlan`. */
  readonly begins: boolean
  /** Begun on return, for the caller to finish; finished when this throws. */
  readonly hook: BegunHook
}

/** Everything between a client's object and the one that is stored; also the way of a PUT that creates. */
export async function prepareNew<T extends KubeObject>(
  parts: StoreParts<T>,
  context: RequestContext,
  object: T,
  { dryRun, validate, begins, hook }: PrepareNewOptions,
): Promise<void> {
  const { metadata } = object
  fillSystemFields(parts, metadata)
  if ((metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '') metadata.name = parts.generateName(metadata.generateName!)
  const { hooks } = parts
  if (begins && hooks.beginCreate !== undefined) await hook.begin(() => hooks.beginCreate!(context, object, { dryRun }))
  try {
    const began = performance.now()
    const prepared = beforeCreate(parts, context, object)
    if (prepared !== undefined) await prepared
    await validate?.(object, undefined)
    const rest = restAfter(began)
    if (rest !== undefined) await rest
  } catch (error) {
    await hook.abandon()
    throw error
  }
}

export function timeToLive<T extends KubeObject>({ definition }: StoreParts<T>, object: T): { ttlSeconds: number } | undefined {
  const ttlSeconds = definition.ttlSeconds?.(object as Parameters<typeof definition.ttlSeconds>[0])
  return ttlSeconds === undefined ? undefined : { ttlSeconds }
}

/** Something new has no version yet. What is not a number counts as none, as it does in the original. */
function dropResourceVersion({ metadata }: KubeObject): void {
  if (metadata.resourceVersion === undefined) return
  if (/^0*[1-9][0-9]*$/.test(metadata.resourceVersion)) {
    throw newUnknownError('resourceVersion should not be set on objects to be created')
  }
  delete metadata.resourceVersion
}

/** Says whether the taken name was generated, and whether the object that has it is about to go. */
async function explainCollision<T extends KubeObject>(
  parts: StoreParts<T>,
  context: RequestContext,
  key: string,
  object: T,
  error: unknown,
): Promise<unknown> {
  if (!isApiError(error, 'AlreadyExists')) return error
  const { name = '', generateName = '' } = object.metadata
  const collision = generateName === '' ? error : newGenerateNameConflict(qualifiedResource(parts, context), name, 1)
  try {
    const present = await parts.storage.get(key)
    if (present.object().metadata.deletionTimestamp === undefined) return collision
  } catch {
    return collision
  }
  return apiErrorFromStatus({ ...collision.status, message: `object is being deleted: ${collision.message}` }, { cause: error })
}
