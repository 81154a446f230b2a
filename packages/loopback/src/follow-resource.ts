import { isApiError, pause, systemClock, TimeSlice } from '@keelson/apimachinery'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import type { ObjectEvent, Predicate, StoredObject } from '@keelson/storagebackend'
import type { LoopbackResource } from './client.ts'

export interface FollowOptions {
  /** The namespace to follow. Default: all namespaces. */
  readonly namespace?: string
  readonly predicate?: Predicate
  readonly clock?: Clock
  readonly signal: AbortSignal
  /** Called for every failed watch. Default: errors are ignored. */
  readonly onError?: (error: unknown) => void
  /** Returns random numbers from 0 to 1, which vary the delays between retries. */
  readonly random?: () => number
}

/** An event that has an object, which is any event except a bookmark. */
export type ObjectChange<T extends KubeObject> = Exclude<ObjectEvent<T>, { readonly type: 'BOOKMARK' }>

/** The receiver of objects and changes. `followResource` keeps no reference to the objects. */
export interface FollowSink<T extends KubeObject> {
  /**
   * Receives all objects at `revision`, at the start and after changes were missed. Later changes are sent after the returned promise
   * resolves.
   */
  replace(objects: readonly StoredObject<T>[], revision: number): void | Promise<void>
  /** Receives a change. Other work may run between two changes if they take long. */
  apply(change: ObjectChange<T>): void
}

/**
 * Follows the objects of a resource with a watch, which sends the existing objects, a bookmark, and then changes. If the watch fails, a new
 * one resumes at the last revision. If that revision has been compacted, the new watch sends all objects again. Ends when the signal
 * aborts, and never rejects.
 */
export async function followResource<T extends KubeObject>(
  resource: Pick<LoopbackResource<T>, 'watch'>,
  sink: FollowSink<T>,
  options: FollowOptions,
): Promise<void> {
  const { namespace, predicate, clock = systemClock, signal, onError, random = Math.random } = options
  const backoff = new Backoff({ first: 800, longest: 30_000, random })
  /** The last revision that was passed to the sink. "" until all existing objects were passed. */
  let revision = ''

  async function follow(): Promise<void> {
    const watch = await resource.watch({
      ...(namespace === undefined ? undefined : { namespace }),
      ...(predicate === undefined ? undefined : { predicate }),
      ...(revision === '' ? { resourceVersion: '', sendInitialEvents: true } : { resourceVersion: revision }),
      signal,
    })
    let initial: StoredObject<T>[] | undefined = revision === '' ? [] : undefined
    const slice = new TimeSlice()
    for await (const batch of watch) {
      slice.restart()
      for (const event of batch) {
        if (event.type !== 'BOOKMARK') {
          if (initial !== undefined) {
            initial.push(event.object)
            continue
          }
          sink.apply(event)
          revision = String(event.object.revision)
          const pauseBetween = slice.pauseIfOver()
          if (pauseBetween !== undefined) await pauseBetween
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

export interface BackoffOptions {
  /** The delay before the first retry, in milliseconds. */
  readonly first: number
  readonly longest: number
  /** Returns random numbers from 0 to 1, which lengthen each delay by up to a fifth. Default: Math.random. */
  readonly random?: () => number
}

/** Computes the delays between retries. The delay doubles after each failure, up to a maximum. */
export class Backoff {
  readonly #options: BackoffOptions
  #failures = 0

  constructor(options: BackoffOptions) {
    this.#options = options
  }

  next(): number {
    const { first, longest, random = Math.random } = this.#options
    const base = Math.min(longest, first * 2 ** Math.min(this.#failures++, 30))
    return base * (1 + random() / 5)
  }

  reset(): void {
    this.#failures = 0
  }
}
