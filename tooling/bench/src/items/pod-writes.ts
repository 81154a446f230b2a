import { pods } from '../fill-store.ts'
import type { RequestTemplate } from '../load-job.ts'
import { workloadPod } from '../registry/workload-pod.ts'
import { samplePod } from '../sample-pod.ts'

/** Of the numbers in the names. */
export const digits = 7

/** As a Deployment's controller makes it, 3 KB when it is stored, or filled up to 8 KB. */
export type PodSize = '3 KB' | '8 KB'

const touched = 'example.com/touched'

interface WrittenPod {
  apiVersion: string
  kind: string
  metadata: { annotations: Record<string, string> }
  spec: Record<string, unknown>
}

function podOf(size: PodSize, name: string): WrittenPod {
  if (size === '8 KB') return samplePod(name, 8192) as WrittenPod
  return { kind: 'Pod', apiVersion: 'v1', ...workloadPod(name) } as unknown as WrittenPod
}

/** Of run 0: what other writes change. */
export const writtenPod = (text: string): string => `${pods}/w0-${text}`

/** New names in each run. */
export function createPod(size: PodSize, run: number): RequestTemplate {
  return { method: 'POST', path: pods, contentType: 'application/json', body: JSON.stringify(podOf(size, `w${run}-{n}`)), digits }
}

export function patchPod(_size: PodSize, run: number): RequestTemplate {
  const body = JSON.stringify({ metadata: { annotations: { [touched]: `${run}-{n}` } } })
  return { method: 'PATCH', path: writtenPod('{n}'), contentType: 'application/merge-patch+json', body, digits }
}

/** The whole pod, as who applies it has it in a file, with an annotation that is new each time. */
export function applyPod(size: PodSize, run: number): RequestTemplate {
  const pod = podOf(size, 'w0-{n}')
  pod.metadata.annotations[touched] = `${run}-{n}`
  const path = `${writtenPod('{n}')}?fieldManager=bench`
  return { method: 'PATCH', path, contentType: 'application/apply-patch+yaml', body: JSON.stringify(pod), digits }
}

/** One that may be updated as it was read from another: no volume of a token's with a name of its own. */
export function updatablePod(size: PodSize): RequestTemplate {
  const { body, ...request } = createPod(size, 0)
  const pod = JSON.parse(body!) as WrittenPod
  pod.spec['automountServiceAccountToken'] = false
  return { ...request, body: JSON.stringify(pod) }
}

/** As it was read, of whatever version, with an annotation that is new each time. */
export function updatePod(stored: Buffer, run: number): RequestTemplate {
  const first = '0'.repeat(digits)
  const pod = JSON.parse(stored.toString().replaceAll(`w0-${first}`, 'w0-{n}')) as { metadata: Record<string, unknown> }
  for (const own of ['resourceVersion', 'uid', 'creationTimestamp', 'managedFields']) delete pod.metadata[own]
  pod.metadata['annotations'] = { ...(pod.metadata['annotations'] as object), [touched]: `${run}-{n}` }
  return { method: 'PUT', path: writtenPod('{n}'), contentType: 'application/json', body: JSON.stringify(pod), digits }
}
