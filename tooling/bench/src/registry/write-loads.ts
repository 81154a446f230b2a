import type { JsonObject, KubeObject } from '@keelson/apimachinery'
import { applyMergePatch, decodeMergePatch } from '@keelson/apimachinery/patch'
import { namespace } from '../sample-pod.ts'
import type { Load } from '../storage/storage-job.ts'
import { openRegistry } from './open-registry.ts'
import type { OpenRegistry } from './open-registry.ts'
import { convertToPod } from './pod-kind.ts'
import { createWorkloadPod } from './workload-pod.ts'

const inFlight = 32
/**
 * Number of objects, which the warm-up creates. There are more objects than pending writes, so that changes of one object do not wait for
 * each other.
 */
const written = 5000

/** Loads that write through all layers except HTTP, by the name of their item. */
export const writeLoads: Readonly<Record<string, () => Promise<Load>>> = {
  async create() {
    const registry = await openFilled()
    return {
      inFlight,
      runOnce: (n) => createPod(registry, written + n),
      [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
    }
  },
  update: () =>
    openChangeLoad((pod, n) => {
      pod.metadata.labels = { ...pod.metadata.labels, more: String(n) }
      return pod
    }),
  patch: () =>
    openChangeLoad((pod, n) => {
      const { patch } = decodeMergePatch(`{"metadata":{"annotations":{"example.com/more":"${n}"}}}`)
      return convertToPod(applyMergePatch(pod as unknown as JsonObject, patch))
    }),
}

async function openFilled(): Promise<OpenRegistry> {
  const registry = await openRegistry()
  for (let n = 0; n < written; n += inFlight)
    await Promise.all(Array.from({ length: Math.min(inFlight, written - n) }, (_, i) => createPod(registry, n + i)))
  return registry
}

async function createPod({ pods }: OpenRegistry, n: number): Promise<void> {
  await pods.create(namespace, convertToPod(createWorkloadPod(`pod-${n}`)))
}

async function openChangeLoad(change: (pod: KubeObject, n: number) => KubeObject): Promise<Load> {
  const registry = await openFilled()
  return {
    inFlight,
    async runOnce(n) {
      await registry.pods.update(namespace, `pod-${n % written}`, (pod) => change(pod, n))
    },
    [Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
  }
}
