import type { Clock, KubeObject } from '@keelson/apimachinery'
import type { Informer, LoopbackClient, SharedInformers } from '@keelson/loopback'
import type { WorkQueueMetrics } from './work-queue-metrics.ts'

export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] }
  status?: { phase?: string; conditions?: NamespaceCondition[] }
}

export interface NamespaceCondition {
  type: string
  status: string
  lastTransitionTime?: string
  reason?: string
  message?: string
}

/** The dependencies of every controller. */
export interface ControllerContext {
  readonly client: LoopbackClient
  readonly clock: Clock
  /** Informers that are shared with other readers. Not for watches with a selector. */
  readonly informers: SharedInformers
  /** The informer of namespaces, which all controllers share. */
  readonly namespaces: Informer<Namespace>
  /** The PEM certificate that is published to every namespace. */
  readonly rootCA: string | undefined
  /** The metrics of the controllers' queues. */
  readonly metrics: WorkQueueMetrics
  readonly onError: (controller: string, error: unknown) => void
}

/** Starts a controller. Returns undefined if the server has no work for it. Disposing stops it after its current work. */
export type StartController = (context: ControllerContext) => AsyncDisposable | undefined

/** Combines disposables into one. It disposes the last one first. */
export function disposeAll(...resources: readonly (AsyncDisposable | (() => void))[]): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      for (const resource of resources.toReversed()) {
        if (typeof resource === 'function') resource()
        else await resource[Symbol.asyncDispose]()
      }
    },
  }
}

/** Waits for the informers' initial lists. Resolves to false if aborted first. */
export function untilSynced(signal: AbortSignal, ...informers: readonly { readonly synced: Promise<void> }[]): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const stopped = (): void => resolve(false)
    signal.addEventListener('abort', stopped, { once: true })
    void Promise.all(informers.map(({ synced }) => synced)).then(() => {
      signal.removeEventListener('abort', stopped)
      resolve(true)
    })
  })
}
