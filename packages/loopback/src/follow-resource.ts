import { isApiError, pause, systemClock } from '@keelson/apimachinery'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import type { ObjectEvent, Predicate, StoredObject } from '@keelson/storagebackend'
import { Backoff } from './backoff.ts'
import type { LoopbackResource } from './client.ts'

export interface FollowOptions {
  /** Default: all of them. */
  readonly namespace?: string
  readonly predicate?: Predicate
  readonly clock?: Clock
  readonly signal: AbortSignal
  /** Hears of every failed watch. Default: nobody does. */
  readonly onError?: (error: unknown) => void
  /** Numbers in [0, 1), for the spread of retries. */
  readonly random?: () => number
}

export type ObjectChange<T extends KubeObject> = Exclude<ObjectEvent<T>, { readonly type: 'BOOKMARK' }>

/** Where what is followed goes. Nothing is kept of it here. */
export interface FollowSink<T extends KubeObject> {
  /** All there is at `revision`, at the beginning and again after changes were missed. Changes wait until it is done. */
  replace(objects: readonly StoredObject<T>[], revision: number): void | Promise<void>
  apply(change: ObjectChange<T>): void
}

/**
 * Lists through the watch itself: initial events, the bookmark that ends them, then changes. A broken watch is taken up again at the last
 * revision seen; when that is no longer in history, everything is read anew. Ends when the signal aborts; never rejects.
 */
export async function followResource<T extends KubeObject>(
  resource: LoopbackResource<T>,
  sink: FollowSink<T>,
  options: FollowOptions,
): Promise<void> {
  const { namespace, predicate, clock = systemClock, signal, onError, random = Math.random } = options
  const backoff = new Backoff({ first: 800, longest: 30_000, random })
  /** Everything up to here has gone to the sink; "" before the first complete read. */
  let revision = ''

  async function follow(): Promise<void> {
    const watch = await resource.watch({
      ...(namespace === undefined ? undefined : { namespace }),
      ...(predicate === undefined ? undefined : { predicate }),
      ...(revision === '' ? { resourceVersion: '', sendInitialEvents: true } : { resourceVersion: revision }),
      signal,
    })
    let initial: StoredObject<T>[] | undefined = revision === '' ? [] : undefined
    for await (const batch of watch) {
      for (const event of batch) {
        if (event.type !== 'BOOKMARK') {
          if (initial !== undefined) {
            initial.push(event.object)
            continue
          }
          sink.apply(event)
          revision = String(event.object.revision)
        } else if (initial === undefined) revision = String(event.revision)
        else if (event.initialEventsEnd) {
          await sink.replace(initial, event.revision)
          initial = undefined
          revision = String(event.revision)
        }
      }
      backoff.reset()
    }
  }

  while (!signal.aborted) {
    try {
      await follow()
    } catch (error) {
      if (signal.aborted) return
      if (isApiError(error, 'Expired') || isApiError(error, 'Gone')) revision = ''
      onError?.(error)
    }
    await pause(clock, backoff.next(), { signal })
  }
}
