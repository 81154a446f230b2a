import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { createSharedInformers } from '@keelson/loopback'
import type { LoopbackClient, SharedInformers } from '@keelson/loopback'
import type { Namespace, StartController } from './controller.ts'
import { startClusterRoleAggregation } from './clusterrole-aggregation/index.ts'
import { startGarbageCollector } from './garbage-collector/index.ts'
import { startNamespaceController } from './namespace/index.ts'
import { startRootCAPublisher } from './root-ca/index.ts'
import { selectControllers } from './select-controllers.ts'
import { startServiceAccountController } from './service-account/index.ts'
import { createWorkQueueMetrics } from './work-queue-metrics.ts'

const controllers: ReadonlyMap<string, StartController> = new Map([
  ['serviceaccount-controller', startServiceAccountController],
  ['root-ca-certificate-publisher-controller', startRootCAPublisher],
  ['namespace-controller', startNamespaceController],
  ['garbage-collector-controller', startGarbageCollector],
  ['clusterrole-aggregation-controller', startClusterRoleAggregation],
])

/** All names that `--controllers` accepts. */
export const controllerNames: readonly string[] = [...controllers.keys()].toSorted()

export interface ControllersOptions {
  /** The selection, in the syntax of `--controllers`: `*`, `none`, `*,-name`, names. Default: `*`. */
  readonly enabled?: string | readonly string[]
  readonly clock?: Clock
  /** Informers shared with other readers. Default: the controllers create their own. */
  readonly informers?: SharedInformers
  /** The CA certificate (PEM). Without it, no `kube-root-ca.crt` is published. */
  readonly rootCA?: string
  /** Called for each failure. Every failed step is retried. */
  readonly onError?: (controller: string, error: unknown) => void
  /** Registry for `workqueue_*` metrics. Default: none are exported. */
  readonly metrics?: MetricsRegistry
}

export interface RunningControllers extends AsyncDisposable {
  /** The names of the running controllers. */
  readonly names: readonly string[]
}

const stopped: RunningControllers = { names: [], async [Symbol.asyncDispose]() {} }

/** Starts the selected controllers on the client's current resources. Disposing waits for their current writes. */
export function startControllers(client: LoopbackClient, options: ControllersOptions = {}): RunningControllers {
  const selected = selectControllers(options.enabled ?? '*', controllerNames)
  const { clock = systemClock, rootCA, onError = () => {} } = options
  if (selected.size === 0) return stopped
  const ownInformers =
    options.informers === undefined ? createSharedInformers(client, { clock, onError: (error) => onError('informers', error) }) : undefined
  const informers = options.informers ?? ownInformers!
  const namespaces = informers.of<Namespace>({ group: '', resource: 'namespaces' })
  if (namespaces === undefined) return stopped
  const metrics = createWorkQueueMetrics(options.metrics ?? createMetricsRegistry())
  const running = new Map<string, AsyncDisposable>()
  for (const [name, start] of controllers) {
    if (!selected.has(name)) continue
    const controller = start({ client, clock, informers, namespaces, rootCA, onError, metrics })
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
