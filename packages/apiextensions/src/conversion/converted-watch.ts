import type { KubeObject } from '@keelson/apimachinery'
import { IteratedWatch, selectEventType } from '@keelson/storagebackend'
import type { ObjectEvent, ObjectEvents, ObjectWatch, StoredObject } from '@keelson/storagebackend'
import { unwrapConversion } from './version-view.ts'
import type { Presented, VersionView } from './version-view.ts'

/** Returns a watch whose objects are mapped at once. */
export function mapWatch<T extends KubeObject>(
  watch: ObjectWatch<T>,
  present: (stored: StoredObject<T>) => StoredObject<T>,
): ObjectWatch<T> {
  const map = (batch: ObjectEvents<T>): ObjectEvents<T> =>
    batch.map((event) => (event.type === 'BOOKMARK' ? event : { type: event.type, object: present(event.object) }))
  return {
    forEach: (read) => watch.forEach((batch) => read(map(batch))),
    async *[Symbol.asyncIterator]() {
      for await (const batch of watch) yield map(batch)
    },
  }
}

interface ConvertedWatchOptions<T extends KubeObject> {
  readonly view: VersionView<T>
  /** Tests objects of the presented version. Undefined: the watch has no selector. */
  readonly matches: ((object: StoredObject) => boolean) | undefined
  readonly signal: AbortSignal
}

/**
 * A watch whose objects are converted, in the order of the events. While a batch is converted, later events wait in the bounded buffer of
 * the wrapped watch. With a selector, the wrapped watch must have the objects before changes (`withPrevious`).
 */
export class ConvertedWatch<T extends KubeObject> extends IteratedWatch<T> {
  constructor(watch: ObjectWatch<T>, options: ConvertedWatchOptions<T>) {
    super(convertBatches(watch, options))
  }
}

async function* convertBatches<T extends KubeObject>(
  watch: ObjectWatch<T>,
  { view, matches, signal }: ConvertedWatchOptions<T>,
): AsyncGenerator<ObjectEvents<T>, undefined> {
  for await (const batch of watch) {
    let presented: ReadonlyMap<StoredObject<T>, Presented<T>>
    try {
      presented = await convertBatch(batch, view, { withPrevious: matches !== undefined, signal })
    } catch (error) {
      if (signal.aborted) return
      throw error
    }
    const events: ObjectEvent<T>[] = []
    for (const event of batch) {
      try {
        const converted = event.type === 'BOOKMARK' ? event : convertEvent(event, { view, matches, presented })
        if (converted !== undefined) events.push(converted)
      } catch (error) {
        // Send the events of the revisions before the failed conversion. Events of the same revision are not sent, because a revision must
        // be sent completely.
        const before = events.filter((each) => readRevision(each) < readRevision(event))
        if (before.length > 0) yield before
        throw error
      }
    }
    if (events.length > 0) yield events
  }
}

function readRevision<T extends KubeObject>(event: ObjectEvent<T>): number {
  return event.type === 'BOOKMARK' ? event.revision : event.object.revision
}

/** Converts all objects of a batch together. */
async function convertBatch<T extends KubeObject>(
  batch: ObjectEvents<T>,
  view: VersionView<T>,
  { withPrevious, signal }: { readonly withPrevious: boolean; readonly signal: AbortSignal },
): Promise<ReadonlyMap<StoredObject<T>, Presented<T>>> {
  const objects: StoredObject<T>[] = []
  for (const event of batch) {
    if (event.type === 'BOOKMARK') continue
    objects.push(event.object)
    if (withPrevious && event.type === 'MODIFIED' && event.previous !== undefined) objects.push(event.previous)
  }
  const presented = await view.present(objects, { signal })
  return new Map(objects.map((object, i) => [object, presented[i]!]))
}

/** Returns the event that the watch sends. Returns undefined if the selector did not match before the change and does not match after it. */
function convertEvent<T extends KubeObject>(
  event: Exclude<ObjectEvent<T>, { readonly type: 'BOOKMARK' }>,
  {
    view,
    matches,
    presented,
  }: Pick<ConvertedWatchOptions<T>, 'view' | 'matches'> & { readonly presented: ReadonlyMap<StoredObject<T>, Presented<T>> },
): ObjectEvent<T> | undefined {
  const { key, revision } = event.object
  const requireConverted = (stored: StoredObject<T>): StoredObject<T> => unwrapConversion(presented.get(stored)!, key)
  const object = requireConverted(event.object)
  if (matches === undefined) return { type: event.type, object }
  if (event.type !== 'MODIFIED') return matches(object) ? { type: event.type, object } : undefined
  const previous = event.previous && requireConverted(event.previous)
  const type = selectEventType(previous !== undefined && matches(previous), matches(object))
  if (type === undefined) return undefined
  if (type !== 'DELETED') return { type, object }
  const { codec } = view
  return { type, object: codec.open(key, codec.encode(previous!.copy(), key), revision) }
}
