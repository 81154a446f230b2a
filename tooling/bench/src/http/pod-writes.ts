import { pods } from '../cache/fill-store.ts'
import type { RequestTemplate } from '../load-job.ts'
import { workloadPod } from '../registry/workload-pod.ts'

/** Of the numbers in the names. */
export const digits = 7

const touched = 'example.com/touched'

/** New names in each run; those of run 0 are there for the others. */
export function createPod(run: number): RequestTemplate {
  return {
    method: 'POST',
    path: pods,
    contentType: 'application/json',
    body: JSON.stringify({ kind: 'Pod', apiVersion: 'v1', ...workloadPod(`w${run}-{n}`) }),
    digits,
  }
}

export function patchPod(run: number): RequestTemplate {
  return {
    method: 'PATCH',
    path: `${pods}/w0-{n}`,
    contentType: 'application/merge-patch+json',
    body: JSON.stringify({ metadata: { annotations: { [touched]: `${run}-{n}` } } }),
    digits,
  }
}

/** The whole pod, as who applies it has it in a file, with an annotation that is new each time. */
export function applyPod(run: number): RequestTemplate {
  const pod = workloadPod('w0-{n}') as { metadata: { annotations: Record<string, string> } }
  pod.metadata.annotations[touched] = `${run}-{n}`
  return {
    method: 'PATCH',
    path: `${pods}/w0-{n}?fieldManager=bench`,
    contentType: 'application/apply-patch+yaml',
    body: JSON.stringify({ kind: 'Pod', apiVersion: 'v1', ...pod }),
    digits,
  }
}
