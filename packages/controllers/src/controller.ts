import type { ApiTypes } from '@keelson/api'
import type { Clock, DeepReadonly, DeleteOptions, GroupResource, KubeObject } from '@keelson/apimachinery'
import type { Informer, LoopbackClient, SharedInformers, WorkQueueMetrics } from '@keelson/loopback'

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

/** A namespaced resource whose objects are deleted with their namespace. */
export interface ContentResource extends GroupResource {
  deleteCollection(namespace: string, options: DeleteOptions): Promise<void>
  list(options: {
    readonly namespace: string
    readonly resourceVersion: ''
  }): Promise<{ readonly items: readonly DeepReadonly<Pick<KubeObject, 'metadata'>>[] }>
}

/** The namespaced resources of other API servers. */
export interface RemoteContent {
  readonly resources: readonly ContentResource[]
  /** Group versions with unknown resources ("example.com/v1"), and why they are unknown. Namespaces are not removed meanwhile. */
  readonly failures: ReadonlyMap<string, string>
}

/** Dependencies of every controller. */
export interface ControllerContext {
  readonly client: LoopbackClient
  readonly clock: Clock
  /** Informers that are shared with other components. They cannot be used for watches with a selector. */
  readonly informers: SharedInformers
  /** Informer of namespaces, which all controllers share. */
  readonly namespaces: Informer<Namespace>
  /** CA certificate in PEM that is published in every namespace. */
  readonly rootCA: string | undefined
  /** Types of all served kinds. Undefined: policies are not checked. */
  readonly types: ApiTypes | undefined
  /** Returns the namespaced resources of other API servers. Undefined: there are no other servers. */
  readonly remoteContent: (() => RemoteContent) | undefined
  /** Metrics of the controllers' work queues. */
  readonly metrics: WorkQueueMetrics
  readonly onError: (controller: string, error: unknown) => void
}

/**
 * Starts a controller. Returns undefined if the resources it needs are not served. Disposing the result stops the controller after its
 * current work.
 */
export type StartController = (context: ControllerContext) => AsyncDisposable | undefined

/** Combines several disposables into one, which disposes them in reverse order. */
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

/** Waits until the informers have their initial lists. Resolves to false if `signal` aborts first. */
export function waitUntilSynced(signal: AbortSignal, ...informers: readonly { readonly synced: Promise<void> }[]): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const resolveStopped = (): void => resolve(false)
    signal.addEventListener('abort', resolveStopped, { once: true })
    void Promise.all(informers.map(({ synced }) => synced)).then(() => {
      signal.removeEventListener('abort', resolveStopped)
      resolve(true)
    })
  })
}
