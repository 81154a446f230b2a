import { copyObject, isApiError, runAfter, newNotFound, pauseIfLong } from '@keelson/apimachinery'
import type { DeepReadonly, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { StoredObject, UpdateOutput } from '@keelson/storagebackend'
import type { DecodedBody } from '../decode/body.ts'
import { applyConfiguration } from '../patch/apply-configuration.ts'
import { applyPatch, newUnsupportedPatchError } from '../patch/apply-patch.ts'
import { canCreate } from '../rest.ts'
import type { Creater, CreateRequest, NamedCreater, RestResult, RESTStorage, UpdateRequest } from '../rest.ts'
import { qualifyResource, PendingHook } from '../store-dependencies.ts'
import type { StoreDependencies, UpdatePlan } from '../store-dependencies.ts'
import { mutate, validate } from './admission.ts'
import type { WriteOptions } from './admission.ts'
import {
  checkIdentity,
  decodeNew,
  decodeReplacement,
  requireRoute,
  deduplicateOwnerReferences,
  ensureNamespace,
  wipeSystemFields,
} from './change.ts'
import type { CreateWrite, RoutedWrite } from './change.ts'
import { dropResourceVersion, explainCreate, explainUpdate, matchVersion, mayBeRemoved, removeFinalized, getTtlOption } from './commit.ts'
import type { StoreWrite } from './commit.ts'
import { writeTarget } from './write-target.ts'
import type { Written } from './write-target.ts'
import { restoreDecodableManagers, keepManagerTimes, trackManagers } from './managed-fields.ts'
import { prepareCreate, fillSystemFields, prepareUpdate } from './prepare.ts'

/*
 * The steps of every create, PUT, patch and apply, in this order:
 *
 *   read                   -              guaranteedUpdate in `update`
 *   apply the change       `decodeNew`    `applyChange`, which also defaults and converts
 *   managed fields         `trackAndMutate`
 *   mutating admission     `trackAndMutate`
 *   prepare, validate      `prepareNew`   `prepareChanged`; `prepareNew` if the update creates
 *   validating admission   `prepareNew`   `prepareChanged`
 *   commit                 `storeOnce`    guaranteedUpdate
 *   retry                  `storeGenerated` with another generated name; guaranteedUpdate calls `attempt` again after a concurrent write
 *
 * Writes by the server itself (eviction) have no route, and skip managed fields and admission.
 */

/**
 * Creates an object from a POST request. Decodes the body, tracks managed fields, runs mutating admission, and passes the object to the
 * storage.
 */
export async function createObject(storage: RESTStorage & (Creater | NamedCreater), create: CreateWrite): Promise<RestResult> {
  const { route, context, options } = create
  const { dryRun } = options
  const startTime = performance.now()
  const decoding = decodeNew(create)
  const decoded = decoding instanceof Promise ? await decoding : decoding
  context.span?.addEvent('Conversion done')
  const { object } = decoded
  if (object.metadata !== undefined) {
    if ((storage as Partial<NamedCreater>).keepsSystemFields !== true) wipeSystemFields(object)
    ensureNamespace(object, route, context.namespace)
    deduplicateOwnerReferences(object, context, 'sent')
  }
  const write: RoutedWrite = { route, context, name: create.name || (object.metadata?.name ?? ''), dryRun, options }
  const pause = pauseIfLong(startTime)
  if (pause !== undefined) await pause
  context.span?.addEvent('About to store object in database')
  const mutating = trackAndMutate(write, decoded, { live: undefined })
  if (mutating !== undefined) await mutating
  const request: CreateRequest = { dryRun, validate: (final) => validate(write, 'CREATE', final, undefined) }
  return canCreate(storage)
    ? storage.create(context, object, request)
    : (storage as NamedCreater).createNamed(context, create.name, object, request)
}

/** Eight attempts almost always find a free name: with a million existing names of one prefix, less than one create in a thousand fails. */
const maxNameAttempts = 8

/** Prepares, validates and stores a new object. It may change `object`. */
export function storeNew<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  object: T,
  request: CreateRequest,
): Promise<Written<T>> {
  const { name = '', generateName = '' } = object.metadata
  const isGenerated = name === '' && generateName !== ''
  return isGenerated ? storeGenerated(dependencies, context, object, request) : storeOnce(dependencies, context, object, request)
}

async function storeGenerated<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  object: T,
  request: CreateRequest,
): Promise<Written<T>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await storeOnce(dependencies, context, copyObject(object), request)
    } catch (error) {
      if (attempt === maxNameAttempts || !isApiError(error, 'AlreadyExists')) throw error
    }
  }
}

async function storeOnce<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  object: T,
  { dryRun, validate: admit }: CreateRequest,
): Promise<Written<T>> {
  const hook = new PendingHook()
  await prepareNew(dependencies, context, object, { dryRun, admit, begins: true, hook })
  const name = object.metadata.name ?? ''
  const key = dependencies.keys.createKey(context, name)
  try {
    if (!dryRun) dropResourceVersion(object)
    const written = await writeTarget(dependencies, context, dryRun).create(key, object, {
      ...getTtlOption(dependencies),
      span: context.span,
      // A getter, because the first access to `context.signal` creates the signal, and most writes do not need one.
      get signal() {
        return context.signal
      },
    })
    if (hook.isPending) await hook.succeed()
    return written
  } catch (error) {
    await hook.fail(error)
    throw await explainCreate({ dependencies, context, name, key }, object, error)
  }
}

interface PrepareNewOptions {
  readonly dryRun: boolean
  /** Runs validating admission. Undefined: no admission. */
  readonly admit: CreateRequest['validate'] | undefined
  /** Whether the hook `beginCreate` runs. False for subresources. */
  readonly begins: boolean
  /**
   * The begin hook of the write. If `prepareNew` returns, the caller must finish the hook. If `prepareNew` throws, the hook is already
   * finished.
   */
  readonly hook: PendingHook
}

/** Prepares, validates and admits a new object, for a POST or for an update that creates. */
async function prepareNew<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  context: RequestContext,
  object: T,
  { dryRun, admit, begins, hook }: PrepareNewOptions,
): Promise<void> {
  const { metadata } = object
  const { hooks } = dependencies
  if (begins && hooks.check !== undefined) await hooks.check(context, object, undefined)
  fillSystemFields(dependencies, metadata)
  if ((metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '')
    metadata.name = dependencies.generateName(metadata.generateName!)
  if (begins && hooks.beginCreate !== undefined) await hook.begin(() => hooks.beginCreate!(context, object, { dryRun }))
  try {
    const startTime = performance.now()
    const prepared = prepareCreate(dependencies, context, object)
    if (prepared !== undefined) await prepared
    const admitted = admit?.(object, undefined)
    if (admitted !== undefined) await admitted
    const pause = pauseIfLong(startTime)
    if (pause !== undefined) await pause
  } catch (error) {
    await hook.abandon()
    throw error
  }
}

/** One update: a PUT, a patch, an apply or an edit. */
interface Update<T extends KubeObject> extends StoreWrite<T> {
  readonly plan: UpdatePlan<T>
  readonly request: UpdateRequest<T>
  /** The write's route and options, for admission. Undefined for writes by the server itself. */
  readonly routed: RoutedWrite | undefined
  readonly hook: PendingHook
  /** The decoded body of a PUT. Only the first attempt uses it, because it changes the object. */
  decoded: DecodedBody | undefined
  /** The outcome of the last attempt. */
  last: Round<T> | undefined
}

/** The outcome of one attempt. If a concurrent write comes first, the outcome of the next attempt replaces it. */
type Round<T> = { readonly kind: 'create' | 'update' | 'delete'; readonly object: T }

/** The outcome of an update, which may also have created the object. */
export interface UpdateOutcome<T extends KubeObject> {
  readonly object: Written<T>
  readonly created: boolean
}

const noOptions: WriteOptions = { dryRun: false, fieldManager: '', force: false, fieldValidation: 'Ignore' }

/**
 * Changes an object. Creates an absent object if the request may create one. Removes the object if its deletion has begun and this change
 * removes its last finalizer.
 */
export async function update<T extends KubeObject>(
  dependencies: StoreDependencies<T>,
  plan: UpdatePlan<T>,
  context: RequestContext,
  { name, request }: { readonly name: string; readonly request: UpdateRequest<T> },
): Promise<UpdateOutcome<T>> {
  const { change, route, options = noOptions, dryRun } = request
  const routed = route && { route, context, name, dryRun, options }
  let { preconditions } = request
  let decoded: DecodedBody | undefined
  if (change.kind === 'replace') {
    // Decode the body before reading the object, because errors of the body are reported before the error for an absent object.
    const startTime = performance.now()
    const decoding = decodeReplacement(routed, change.body)
    decoded = decoding instanceof Promise ? await decoding : decoding
    context.span?.addEvent('Conversion done')
    context.span?.addEvent('About to store object in database')
    const pause = pauseIfLong(startTime)
    if (pause !== undefined) await pause
    const { uid = '' } = decoded.object.metadata
    if (uid !== '') preconditions = { uid }
  } else if (change.kind === 'apply' && route?.fieldManager === undefined) throw newUnsupportedPatchError()
  const run: Update<T> = {
    dependencies,
    plan,
    context,
    name,
    key: dependencies.keys.createKey(context, name),
    request,
    routed,
    hook: new PendingHook(),
    decoded,
    last: undefined,
  }
  let object: Written<T>
  try {
    object = await writeTarget(dependencies, context, dryRun).guaranteedUpdate(run.key, (_current, stored) => attempt(run, stored), {
      ignoreNotFound: mayCreate(run),
      sharesCurrent: true,
      ...(preconditions === undefined ? undefined : { preconditions }),
      signal: context.signal,
      span: context.span,
    })
    if (run.hook.isPending && run.last?.kind !== 'delete') await run.hook.succeed()
  } catch (error) {
    await run.hook.fail(error)
    throw explainUpdate(run, run.last?.kind === 'create' ? run.last.object : undefined, error)
  }
  const { last } = run
  if (last?.kind !== 'delete') return { object, created: last?.kind === 'create' }
  await run.hook.abandon()
  await removeFinalized(run, { dryRun, preconditions })
  // Return the object as this change left it, although it has been removed.
  return { object: last.object, created: false }
}

/**
 * Returns whether the write may create an absent object. A server-side apply may create the object even if a PUT may not, unless it writes
 * another representation such as a scale.
 */
function mayCreate<T extends KubeObject>({ plan, request: { change, view } }: Update<T>): boolean {
  return plan.allowCreateOnUpdate || (plan.applyCreates && change.kind === 'apply' && view === undefined)
}

/** Makes one attempt to update the object. Returns undefined if the object must be removed instead. */
async function attempt<T extends KubeObject>(run: Update<T>, stored: StoredObject<T> | undefined): Promise<UpdateOutput<T> | undefined> {
  const { dependencies, context, name, request, routed } = run
  run.last = undefined
  if (run.hook.isPending) await run.hook.abandon()
  if (stored === undefined && !mayCreate(run)) throw newNotFound(qualifyResource(dependencies, context), name)
  const { view } = request
  const viewed = view && stored?.copy()
  const current = viewed === undefined ? (stored?.object() as KubeObject | undefined) : view!.read(viewed)
  const startTime = performance.now()
  const { kind: changeKind } = request.change
  const isPatch = changeKind === 'patch' || changeKind === 'apply'
  if (isPatch) context.span?.addEvent('About to apply patch')
  const changing = applyChange(run, current, stored)
  const changed = changing instanceof Promise ? await changing : changing
  if (routed !== undefined) {
    const pause = pauseIfLong(startTime)
    if (pause !== undefined) await pause
    if (changeKind !== 'replace') checkIdentity(routed, changed.object, current)
    if (isPatch) context.span?.addEvent('About to check admission control')
    const mutating = trackAndMutate(routed, changed, { live: current, tracked: changeKind === 'apply' })
    if (mutating !== undefined) await mutating
  }
  let object = changed.object as T
  if (viewed !== undefined) {
    view!.write(viewed, changed.object)
    object = viewed
  }
  await (stored === undefined ? prepareCreated(run, object) : prepareChanged(run, object, stored))
  const kind = stored === undefined ? 'create' : mayBeRemoved(dependencies, object, stored.object()) ? 'delete' : 'update'
  run.last = { kind, object }
  return kind === 'delete' ? undefined : { object, ...getTtlOption(dependencies) }
}

/**
 * Applies the change and returns the new state, decoded, defaulted and converted to the hub version. `current` is shared and must not be
 * changed, so an edit gets a copy.
 */
function applyChange<T extends KubeObject>(
  run: Update<T>,
  current: KubeObject | undefined,
  stored: StoredObject<T> | undefined,
): DecodedBody | Promise<DecodedBody> {
  const { routed, request, decoded } = run
  const { change, view } = request
  if (change.kind === 'edit') {
    return runAfter(change.edit(view === undefined ? stored?.copy() : current), (object) => ({ object, withEmptyLists: undefined }))
  }
  run.decoded = undefined
  // Later steps change the decoded object, so a later attempt decodes the body again.
  if (change.kind === 'replace') return decoded ?? decodeReplacement(routed, change.body)
  const write = requireRoute(routed)
  return change.kind === 'patch' ? applyPatch(write, change, current) : applyConfiguration(write, change.configuration, current)
}

/**
 * Records the owners of fields and runs mutating admission. An apply has already recorded the owners. Returns a promise only if admission
 * has to wait.
 */
function trackAndMutate(
  write: RoutedWrite,
  decoded: DecodedBody,
  { live, tracked = false }: { readonly live: KubeObject | undefined; readonly tracked?: boolean },
): Promise<void> | void {
  const { route, context } = write
  const { object } = decoded
  const startTime = performance.now()
  const tracking = tracked ? undefined : trackManagers(route, context, live, decoded)
  return runAfter(tracking ?? pauseIfLong(startTime), () => {
    const managers = object.metadata?.managedFields
    return runAfter(mutate(write, live === undefined ? 'CREATE' : 'UPDATE', object, live), () => {
      restoreDecodableManagers(object, managers, context)
      if (object.metadata !== undefined) deduplicateOwnerReferences(object, context, 'admitted')
    })
  })
}

/** Prepares, validates and admits the object that a PUT or an apply creates. */
async function prepareCreated<T extends KubeObject>(
  { dependencies, plan, context, request, routed, hook }: Update<T>,
  object: T,
): Promise<void> {
  const { dryRun } = request
  const admit = async (final: KubeObject): Promise<void> => {
    await routed!.route.authorizeCreate(context)
    await validate(routed!, 'CREATE', final, undefined)
  }
  await prepareNew(dependencies, context, object, { dryRun, admit: routed && admit, begins: plan.begins, hook })
  if (!dryRun) delete object.metadata.resourceVersion
}

/** Prepares, validates and admits the new state of an existing object. */
async function prepareChanged<T extends KubeObject>(run: Update<T>, object: T, stored: StoredObject<T>): Promise<void> {
  const { dependencies, plan, context, request, routed, hook } = run
  const { hooks } = dependencies
  const { view, dryRun } = request
  const old = stored.object()
  if (plan.begins && hooks.check !== undefined) await hooks.check(context, object, old)
  matchVersion(run, object, String(stored.revision))
  if (plan.begins && hooks.beginUpdate !== undefined) await hook.begin(() => hooks.beginUpdate!(context, object, old, { dryRun }))
  try {
    const startTime = performance.now()
    const prepared = prepareUpdate(dependencies, plan, context, object, old)
    if (prepared !== undefined) await prepared
    keepManagerTimes(object, old)
    const checked = plan.checkUpdate?.(context, object as DeepReadonly<T>, old)
    if (checked !== undefined) await checked
    const toView = (state: DeepReadonly<T>): KubeObject => (view === undefined ? (state as KubeObject) : view.show(state))
    const admitted = routed && validate(routed, 'UPDATE', toView(object as DeepReadonly<T>), toView(old))
    if (admitted !== undefined) await admitted
    const pause = pauseIfLong(startTime)
    if (pause !== undefined) await pause
  } catch (error) {
    await hook.abandon()
    throw error
  }
}
