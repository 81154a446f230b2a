import type { JsonObject, KubeObject } from '@keelson/apimachinery'
import { applyMergePatch, decodeMergePatch } from '@keelson/apimachinery/patch'
import { namespace } from '../sample-pod.ts'
import type { Load } from '../storage/storage-job.ts'
import { openRegistry } from './open-registry.ts'
import type { OpenRegistry } from './open-registry.ts'
import { typedPod } from './pod-kind.ts'
import { workloadPod } from './workload-pod.ts'

const inFlight = 32
/** Number of warm-up writes. There are more objects than pending writes, so that changes do not wait for each other. */
const written = 5000

/** Writes through the whole chain in process, by item name. */
export const writeLoads: Readonly<Record<string, () => Promise<Load>>> = {
  async create() {
    const registry = await openFilled()
    return {
      inFlight,
      once: (n) => createPod(registry, written + n),
      [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
    }
  },
  update: () =>
    changes((pod, n) => {
      pod.metadata.labels = { ...pod.metadata.labels, more: String(n) }
      return pod
    }),
  patch: () =>
    changes((pod, n) => {
      const { patch } = decodeMergePatch(`{"metadata":{"annotations":{"example.com/more":"${n}"}}}`)
      return typedPod(applyMergePatch(pod as unknown as JsonObject, patch))
    }),
}

async function openFilled(): Promise<OpenRegistry> {
  const registry = await openRegistry()
  for (let n = 0; n < written; n += inFlight)
    await Promise.all(Array.from({ length: Math.min(inFlight, written - n) }, (_, i) => createPod(registry, n + i)))
  return registry
}

async function createPod({ pods }: OpenRegistry, n: number): Promise<void> {
  await pods.create(namespace, typedPod(workloadPod(`pod-${n}`)))
}

async function changes(change: (pod: KubeObject, n: number) => KubeObject): Promise<Load> {
  const registry = await openFilled()
  return {
    inFlight,
    async once(n) {
      await registry.pods.update(namespace, `pod-${n % written}`, (pod) => change(pod, n))
    },
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  }
}
