import type { ApiTypes } from '@keelson/api'
import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { createSharedInformers, createWorkQueueMetrics } from '@keelson/loopback'
import type { LoopbackClient, SharedInformers, WorkQueueMetrics } from '@keelson/loopback'
import type { Namespace, RemoteContent, StartController } from './controller.ts'
import { startClusterRoleAggregation } from './clusterrole-aggregation/index.ts'
import { startGarbageCollector } from './garbage-collector/index.ts'
import { startNamespaceController } from './namespace/index.ts'
import { startRootCAPublisher } from './root-ca/index.ts'
import { startPolicyStatusController } from './validating-admission-policy-status/index.ts'
import { selectControllers } from './select-controllers.ts'
import { startServiceAccountController } from './service-account/index.ts'

const controllers: ReadonlyMap<string, StartController> = new Map([
  ['serviceaccount-controller', startServiceAccountController],
  ['root-ca-certificate-publisher-controller', startRootCAPublisher],
  ['namespace-controller', startNamespaceController],
  ['garbage-collector-controller', startGarbageCollector],
  ['clusterrole-aggregation-controller', startClusterRoleAggregation],
  ['validatingadmissionpolicy-status-controller', startPolicyStatusController],
])

/** Names of all controllers, as `--controllers` accepts them. */
export const controllerNames: readonly string[] = [...controllers.keys()].toSorted()

export interface ControllersOptions {
  /** Controllers to start, in the syntax of `--controllers`: `*`, `none`, `*,-name`, or names. Default: `*`. */
  readonly enabled?: string | readonly string[]
  readonly clock?: Clock
  /** Informers that are shared with other components. Default: the controllers create their own. */
  readonly informers?: SharedInformers
  /** CA certificate in PEM. If it is absent, `kube-root-ca.crt` is not published. */
  readonly rootCA?: string
  /** Types of all served kinds, for type checking. If they are absent, policies are not checked. */
  readonly types?: ApiTypes
  /** Returns the namespaced resources of other API servers, which are deleted with their namespaces. Default: there are none. */
  readonly remoteContent?: () => RemoteContent
  /** Called for each failure. Failed steps are always retried. */
  readonly onError?: (controller: string, error: unknown) => void
  /** Metrics of the work queues. Default: the metrics are not exported. */
  readonly metrics?: WorkQueueMetrics
}

export interface RunningControllers extends AsyncDisposable {
  /** Names of the running controllers. */
  readonly names: readonly string[]
}

const stopped: RunningControllers = { names: [], async [Symbol.asyncDispose]() {} }

/**
 * Starts the selected controllers on the resources that the client has now. Disposing the result waits until their current writes are
 * complete.
 */
export function startControllers(client: LoopbackClient, options: ControllersOptions = {}): RunningControllers {
  const selected = selectControllers(options.enabled ?? '*', controllerNames)
  const { clock = systemClock, rootCA, types, remoteContent, onError = () => {} } = options
  if (selected.size === 0) return stopped
  const ownInformers =
    options.informers === undefined ? createSharedInformers(client, { clock, onError: (error) => onError('informers', error) }) : undefined
  const informers = options.informers ?? ownInformers!
  const namespaces = informers.of<Namespace>({ group: '', resource: 'namespaces' })
  if (namespaces === undefined) return stopped
  const metrics = options.metrics ?? createWorkQueueMetrics(createMetricsRegistry())
  const running = new Map<string, AsyncDisposable>()
  for (const [name, start] of controllers) {
    if (!selected.has(name)) continue
    const controller = start({ client, clock, informers, namespaces, rootCA, types, remoteContent, onError, metrics })
    if (controller !== undefined) running.set(name, controller)
  }
  return {
    names: [...running.keys()],
    async [Symbol.asyncDispose]() {
      await Promise.all(Array.from(running.values(), (controller) => controller[Symbol.asyncDispose]()))
      await ownInformers?.[Symbol.asyncDispose]()
    },
  }
}
