import { runAfter, pauseIfLong } from '@keelson/apimachinery'
import type { KubeObject, Span } from '@keelson/apimachinery'
import type { Entry, Revision } from './backend.ts'
import { newKeyNotFoundError, newInvalidObjectError } from './errors.ts'
import type { ObjectAccess } from './object-access.ts'
import { prepareKey } from './object-key.ts'
import type {
  StoredObject,
  TracedOptions,
  TryUpdate,
  UpdateOptions,
  UpdateOutput,
  DeleteObjectOptions,
  ObjectPreconditions,
} from './storage.ts'
import type { LeasePool } from './lease-pool.ts'
import { StoredRecord } from './stored-record.ts'
import { isUnreadable } from './unreadable-objects.ts'

/** The state of an object on which a write is based. */
interface ObjectState<T extends KubeObject> {
  readonly key: string
  /** The object, or undefined if it is absent. */
  readonly stored: StoredObject<T> | undefined
  /** The revision of the object, or 0 if it is absent. */
  readonly revision: Revision
  /** The stored entry. Undefined if the state is the caller's suggestion, because the suggestion has no entry. */
  readonly entry: Entry | undefined
  /**
   * Whether the state was read from the store during this write. False for a suggestion, which may be stale, so that errors on it are not
   * final.
   */
  readonly isCurrent: boolean
}

interface ObjectWrite<T extends KubeObject> {
  readonly access: ObjectAccess<T>
  /** The prefix of all keys of the resource. */
  readonly prefix: string
  readonly key: string
  /** Whether the write may start from an absent object. If false, an absent object is the error `KeyNotFound`. Default: false. */
  readonly ignoreNotFound?: boolean
  /** Step of the write in the trace of a recorded request. Undefined for deletions. */
  readonly step?: Span | undefined
  readonly options: TracedOptions & { readonly suggestion?: StoredObject<T>; readonly signal?: AbortSignal }
}

interface WriteSteps<T extends KubeObject, Write extends ObjectWrite<T>, Prepared> {
  /** Checks the state and computes the bytes to write. */
  readonly prepare: (write: Write, state: ObjectState<T>) => Prepared | Promise<Prepared>
  /**
   * Writes to the store. Resolves to the written object. If the state was not the current one, it resolves to the current state instead.
   */
  readonly commit: (write: Write, state: ObjectState<T>, prepared: Prepared) => Promise<StoredObject<T> | ObjectState<T>>
}

/**
 * Prepares and commits a write. If a concurrent write came first, it starts again with the new state. The first attempt may use a
 * suggestion, which saves a read. If the suggestion causes an error and is stale, the next attempt uses the stored object.
 */
async function commitWithRetries<T extends KubeObject, Write extends ObjectWrite<T>, Prepared>(
  write: Write,
  { prepare, commit }: WriteSteps<T, Write, Prepared>,
): Promise<StoredObject<T>> {
  const { suggestion, signal } = write.options
  const key = prepareKey(write.prefix, write.key, false)
  let state = suggestion ? createStateOfSuggestion(key, suggestion) : await readState(write, key)
  write.step?.addEvent('initial value restored')
  for (;;) {
    signal?.throwIfAborted()
    let prepared: Prepared
    const startTime = performance.now()
    try {
      const preparing = prepare(write, state)
      prepared = preparing instanceof Promise ? await preparing : preparing
    } catch (error) {
      if (state.isCurrent) throw error
      const current = await readState(write, key)
      if (current.revision === state.revision) throw error
      state = current
      continue
    }
    const pause = pauseIfLong(startTime)
    if (pause !== undefined) await pause
    const outcome = await commit(write, state, prepared)
    if ('isStoredObject' in outcome) return outcome
    state = outcome
    write.step?.addEvent('Retry value restored')
  }
}

/** Reads the current state of an object from the store. */
async function readState<T extends KubeObject>(write: ObjectWrite<T>, key: string): Promise<ObjectState<T>> {
  return createStateOfEntry(write, key, (await write.access.read(key, write.options)).entry)
}

/** Creates the state for the next attempt from the entry that the failed commit returned. */
function createStateOfEntry<T extends KubeObject>(write: ObjectWrite<T>, key: string, entry: Entry | undefined): ObjectState<T> {
  if (entry) return { key, stored: write.access.open(entry), revision: entry.modRevision, entry, isCurrent: true }
  if (write.ignoreNotFound !== true) throw newKeyNotFoundError(key)
  return { key, stored: undefined, revision: 0, entry: undefined, isCurrent: true }
}

function createStateOfSuggestion<T extends KubeObject>(key: string, suggestion: StoredObject<T>): ObjectState<T> {
  return { key, stored: suggestion, revision: suggestion.revision, entry: undefined, isCurrent: false }
}

interface GuaranteedUpdate<T extends KubeObject> extends ObjectWrite<T> {
  readonly leases: LeasePool
  readonly tryUpdate: TryUpdate<T>
  readonly options: UpdateOptions<T>
}

/**
 * Reads an object, passes it to the caller to compute the new object, and writes the result. If a concurrent write came first, it starts
 * again.
 */
export function runGuaranteedUpdate<T extends KubeObject>(update: GuaranteedUpdate<T>): Promise<StoredObject<T>> {
  return commitWithRetries<T, GuaranteedUpdate<T>, UpdateOutput<T> | undefined>(update, { prepare: computeOutput, commit: writeOutput })
}

function computeOutput<T extends KubeObject>({ tryUpdate, options }: GuaranteedUpdate<T>, state: ObjectState<T>): ReturnType<TryUpdate<T>> {
  const { key, stored } = state
  const isShared = options.sharesCurrent === true
  const startTime = performance.now()
  // Decoding the object twice would take long if it is large.
  const current = isShared || options.preconditions ? stored?.object() : undefined
  checkPreconditions(key, current, options.preconditions)
  return runAfter(pauseIfLong(startTime), () => tryUpdate(isShared ? (current as T | undefined) : stored?.copy(), stored))
}

async function writeOutput<T extends KubeObject>(
  update: GuaranteedUpdate<T>,
  state: ObjectState<T>,
  output: UpdateOutput<T> | undefined,
): Promise<StoredObject<T> | ObjectState<T>> {
  const { access, step } = update
  const { key } = state
  const startTime = performance.now()
  step?.addEvent('About to Encode')
  const encoding = output && access.encode(output.object, key)
  const bytes = encoding instanceof Promise ? await encoding : encoding
  if (bytes !== undefined) step?.addEvent('Encode succeeded', { len: bytes.length })
  const pause = pauseIfLong(startTime)
  if (pause !== undefined) await pause
  if (!state.isCurrent && (bytes === undefined || hasSameBody(update, state, bytes))) {
    // The caller would not change the suggestion, so nothing would be written. A read must confirm that the suggestion is current.
    const current = await readState(update, key)
    if (current.revision !== state.revision) return current
    state = current
  }
  if (output === undefined || bytes === undefined) {
    if (state.stored === undefined) throw newKeyNotFoundError(key)
    return state.stored
  }
  const compared = state.entry && access.compare(state.entry, bytes)
  const comparison = compared instanceof Promise ? await compared : compared
  // The object is unchanged. A value that is encrypted with an old key is stale, so it is written nevertheless.
  if (state.stored && comparison === 'same') return state.stored

  const lease = output.ttlSeconds ? await update.leases.lease(key, output.ttlSeconds) : 0
  const putting = access.put({ key, bytes, lease }, state.revision, step && { span: step })
  step?.addEvent('Transaction prepared')
  const result = await putting
  step?.addEvent('Txn call completed')
  if (!result.committed) return createStateOfEntry(update, key, result.current[0])
  step?.addEvent('Transaction committed')
  const stored = access.codec.open(key, bytes, result.revision)
  step?.addEvent('decode succeeded', { len: bytes.length })
  return stored
}

function hasSameBody<T extends KubeObject>(
  { access }: GuaranteedUpdate<T>,
  { key, stored, revision }: ObjectState<T>,
  bytes: Uint8Array,
): boolean {
  return stored !== undefined && Buffer.compare(access.codec.open(key, bytes, revision).body, stored.body) === 0
}

interface ObjectDeletion<T extends KubeObject> extends ObjectWrite<T> {
  readonly options: DeleteObjectOptions<T>
}

/**
 * Deletes an object if it is still the version that passed the checks, and otherwise checks the newer version. Resolves to the deleted
 * object with the revision of the deletion.
 */
export function deleteObject<T extends KubeObject>(deletion: ObjectDeletion<T>): Promise<StoredObject<T>> {
  return commitWithRetries<T, ObjectDeletion<T>, void>(deletion, { prepare: check, commit: remove })
}

function check<T extends KubeObject>({ options }: ObjectDeletion<T>, { key, stored }: ObjectState<T>): void | Promise<void> {
  if (options.preconditions) checkPreconditions(key, stored!.object(), options.preconditions)
  return options.validate?.(stored!.object(), stored!)
}

async function remove<T extends KubeObject>(deletion: ObjectDeletion<T>, state: ObjectState<T>): Promise<StoredObject<T> | ObjectState<T>> {
  const { access } = deletion
  const { key, stored, entry } = state
  const { span } = deletion.options
  const result = await access.delete(key, state.revision, span && { span })
  if (!result.committed) return createStateOfEntry(deletion, key, result.current[0])
  if (entry && !access.transformer) return access.openDeleted(entry, result.revision)
  // The write started from a suggestion, so the stored bytes were not read. The suggestion was current.
  if (stored instanceof StoredRecord) return stored.at(result.revision)
  const startTime = performance.now()
  const object = stored!.copy()
  const pause = pauseIfLong(startTime)
  if (pause !== undefined) await pause
  return access.codec.open(key, access.codec.encode(object), result.revision)
}

/**
 * Deletes a value that cannot be decoded or decrypted. Preconditions and finalizers are ignored, and dependents are not deleted. Throws
 * `InvalidObject` if the value can be read, also if a concurrent write has just replaced it. Resolves to the revision of the deletion.
 */
export async function deleteUnreadable<T extends KubeObject>(
  access: ObjectAccess<T>,
  key: string,
  signal: AbortSignal | undefined,
): Promise<Revision> {
  for (;;) {
    signal?.throwIfAborted()
    const { entry } = await access.readStored(key, signal ? { signal } : {})
    if (!entry) throw newKeyNotFoundError(key)
    if (await isReadable(access, entry))
      throw newInvalidObjectError(key, 'the stored object can be read, so it is not deleted as unreadable')
    const result = await access.deleteStored(key, entry.modRevision)
    if (result.committed) return result.revision
  }
}

async function isReadable<T extends KubeObject>(access: ObjectAccess<T>, entry: Entry): Promise<boolean> {
  try {
    const wait = access.prepare(entry)
    if (wait) await wait
    access.open(entry)
    return true
  } catch (error) {
    if (isUnreadable(error)) return false
    throw error
  }
}

interface Identified {
  readonly metadata: { readonly uid?: string; readonly resourceVersion?: string }
}

/**
 * Checks the preconditions of a write. Throws `InvalidObject` with kube-apiserver's conflict text if one fails. An absent object counts as
 * an object with an empty uid and version.
 */
export function checkPreconditions(key: string, object: Identified | undefined, preconditions: ObjectPreconditions | undefined): void {
  if (!preconditions) return
  const uid = object?.metadata.uid ?? ''
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    throw newInvalidObjectError(key, `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`)
  }
  const version = object?.metadata.resourceVersion ?? ''
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== version) {
    throw newInvalidObjectError(
      key,
      `Precondition failed: ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${version}`,
    )
  }
}
