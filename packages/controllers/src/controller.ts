import type { Clock, KubeObject } from '@keelson/apimachinery'
import type { Informer, LoopbackClient } from '@keelson/loopback'
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

/** What every controller is started with. */
export interface ControllerContext {
  readonly client: LoopbackClient
  readonly clock: Clock
  /** One for all controllers. */
  readonly namespaces: Informer<Namespace>
  /** PEM, as published to every namespace. */
  readonly rootCA: string | undefined
  /** Of the controllers' queues. */
  readonly metrics: WorkQueueMetrics
  readonly onError: (controller: string, error: unknown) => void
}

/** A running controller: disposing it ends it, after what it is doing. undefined: there is nothing for it to do in this server. */
export type StartController = (context: ControllerContext) => AsyncDisposable | undefined

/** Ends all of them, the last begun first. */
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

/** False when it was stopped before all of them had read what there is. */
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
