import { isApiError, pause, systemClock } from '@keelson/apimachinery'
import type { Clock, KubeObject } from '@keelson/apimachinery'
import type { ObjectEvent, Predicate, StoredObject } from '@keelson/storagebackend'
import type { LoopbackResource } from './client.ts'

export interface FollowOptions {
  /** Default: all namespaces. */
  readonly namespace?: string
  readonly predicate?: Predicate
  readonly clock?: Clock
  readonly signal: AbortSignal
  /** Called for every failed watch. Default: errors are ignored. */
  readonly onError?: (error: unknown) => void
  /** Returns numbers in [0, 1), for retry jitter. */
  readonly random?: () => number
}

/** An event with an object. */
export type ObjectChange<T extends KubeObject> = Exclude<ObjectEvent<T>, { readonly type: 'BOOKMARK' }>

/** The receiver of objects and changes. `followResource` keeps no reference to them. */
export interface FollowSink<T extends KubeObject> {
  /** Receives all objects at `revision`, initially and after missed changes. Later changes wait until it resolves. */
  replace(objects: readonly StoredObject<T>[], revision: number): void | Promise<void>
  apply(change: ObjectChange<T>): void
}

/**
 * Follows a resource through one watch: initial events, a bookmark, then changes. A broken watch resumes at the last revision. If that revision is
 * compacted, everything is listed again. Ends when the signal aborts, and never rejects.
 */
export async function followResource<T extends KubeObject>(
  resource: LoopbackResource<T>,
  sink: FollowSink<T>,
  options: FollowOptions,
): Promise<void> {
  const { namespace, predicate, clock = systemClock, signal, onError, random = Math.random } = options
  const backoff = new Backoff({ first: 800, longest: 30_000, random })
  /** The last revision passed to the sink, or "" before the first complete list. */
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

export interface BackoffOptions {
  /** The delay before the first retry, in milliseconds. */
  readonly first: number
  readonly longest: number
  /** Returns numbers in [0, 1), which lengthen each delay by up to a fifth. Default: Math.random. */
  readonly random?: () => number
}

/** Exponential backoff. The delay doubles after each failure, up to a limit. */
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
