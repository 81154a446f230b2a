import { systemClock } from '@keelson/apimachinery'
import type { Clock } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import { createSharedInformers } from '@keelson/loopback'
import type { LoopbackClient, SharedInformers } from '@keelson/loopback'
import type { Namespace, StartController } from './controller.ts'
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
])

/** Every name that `--controllers` takes. */
export const controllerNames: readonly string[] = [...controllers.keys()].toSorted()

export interface ControllersOptions {
  /** As `--controllers`: `*`, `none`, `*,-name`, names. Default `*`. */
  readonly enabled?: string | readonly string[]
  readonly clock?: Clock
  /** Where others read the same resources. Default: the controllers' own. */
  readonly informers?: SharedInformers
  /** PEM. Without it no namespace gets a `kube-root-ca.crt`. */
  readonly rootCA?: string
  /** Hears of failures; every one is tried again. */
  readonly onError?: (controller: string, error: unknown) => void
  /** Where `workqueue_*` are shown. Default: nowhere. */
  readonly metrics?: MetricsRegistry
}

export interface RunningControllers extends AsyncDisposable {
  /** Those that found something to do in this server. */
  readonly names: readonly string[]
}

const nothingRuns: RunningControllers = { names: [], async [Symbol.asyncDispose]() {} }

/** Starts what is selected, on the resources that the client has now. Disposing it waits until none of them writes any more. */
export function startControllers(client: LoopbackClient, options: ControllersOptions = {}): RunningControllers {
  const selected = selectControllers(options.enabled ?? '*', controllerNames)
  const { clock = systemClock, rootCA, onError = () => {} } = options
  if (selected.size === 0) return nothingRuns
  const own =
    options.informers === undefined ? createSharedInformers(client, { clock, onError: (error) => onError('informers', error) }) : undefined
  const namespaces = (options.informers ?? own)?.of<Namespace>({ group: '', resource: 'namespaces' })
  if (namespaces === undefined) return nothingRuns
  const metrics = createWorkQueueMetrics(options.metrics ?? createMetricsRegistry())
  const running = new Map<string, AsyncDisposable>()
  for (const [name, start] of controllers) {
    if (!selected.has(name)) continue
    const controller = start({ client, clock, namespaces, rootCA, onError, metrics })
    if (controller !== undefined) running.set(name, controller)
  }
  return {
    names: [...running.keys()],
    async [Symbol.asyncDispose]() {
      await Promise.all(Array.from(running.values(), (controller) => controller[Symbol.asyncDispose]()))
      await own?.[Symbol.asyncDispose]()
    },
  }
}
