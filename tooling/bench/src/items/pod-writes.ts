import { pods } from '../fill-store.ts'
import type { RequestTemplate } from '../load-job.ts'
import { createWorkloadPod } from '../registry/workload-pod.ts'
import { createSamplePod } from '../sample-pod.ts'

/** Number of digits in pod names. */
export const digits = 7

/** Size of a stored pod. 3 KB is the size of a typical Deployment's pod. Pods of 8 KB are padded with annotations. */
export type PodSize = '3 KB' | '8 KB'

/** Annotation that the measured writes change. */
export const touched = 'example.com/touched'

interface WrittenPod {
  apiVersion: string
  kind: string
  metadata: { annotations: Record<string, string> }
  spec: Record<string, unknown>
}

function buildPod(size: PodSize, name: string): WrittenPod {
  if (size === '8 KB') return createSamplePod(name, 8192) as WrittenPod
  return { kind: 'Pod', apiVersion: 'v1', ...createWorkloadPod(name) } as unknown as WrittenPod
}

/** Returns the path of a pod. The pod name consists of the name of a set and a number. Each item that writes uses its own set. */
export const formatPodPath = (set: string, number: string): string => `${pods}/${set}-${number}`

export function createPod(size: PodSize, set: string): RequestTemplate {
  return { method: 'POST', path: pods, contentType: 'application/json', body: JSON.stringify(buildPod(size, `${set}-{n}`)), digits }
}

export function patchPod(set: string, run: number): RequestTemplate {
  const body = JSON.stringify({ metadata: { annotations: { [touched]: `${run}-{i}` } } })
  return { method: 'PATCH', path: formatPodPath(set, '{n}'), contentType: 'application/merge-patch+json', body, digits }
}

/** Creates a request that applies a whole pod, as a user does with a file. An annotation has a new value in each request. */
export function applyPod(size: PodSize, set: string, run: number): RequestTemplate {
  const pod = buildPod(size, `${set}-{n}`)
  pod.metadata.annotations[touched] = `${run}-{i}`
  const path = `${formatPodPath(set, '{n}')}?fieldManager=bench`
  return { method: 'PATCH', path, contentType: 'application/apply-patch+yaml', body: JSON.stringify(pod), digits }
}

/**
 * Creates a request for a pod that an update can replace with the object of another pod. The pod has no token volume, because the name of
 * that volume is random.
 */
export function createUpdatablePod(size: PodSize, set: string): RequestTemplate {
  const { body, ...request } = createPod(size, set)
  const pod = JSON.parse(body!) as WrittenPod
  pod.spec['automountServiceAccountToken'] = false
  return { ...request, body: JSON.stringify(pod) }
}

/**
 * Creates a request that updates a pod with the stored object. The object has no resource version. An annotation has a new value in each
 * request.
 */
export function updatePod(stored: Buffer, set: string, run: number): RequestTemplate {
  const pod = JSON.parse(stored.toString().replaceAll(`${set}-${'0'.repeat(digits)}`, `${set}-{n}`)) as {
    metadata: Record<string, unknown>
  }
  for (const serverField of ['resourceVersion', 'uid', 'creationTimestamp', 'managedFields']) delete pod.metadata[serverField]
  pod.metadata['annotations'] = { ...(pod.metadata['annotations'] as object), [touched]: `${run}-{i}` }
  return { method: 'PUT', path: formatPodPath(set, '{n}'), contentType: 'application/json', body: JSON.stringify(pod), digits }
}
