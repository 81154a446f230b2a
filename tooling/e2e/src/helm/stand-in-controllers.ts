import { setTimeout } from 'node:timers/promises'
import type { HttpsClient } from '../https-client.ts'

interface Listed {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly namespace: string; readonly generation: number }
    readonly spec: {
      readonly replicas?: number
      readonly template: { readonly spec: { readonly containers: readonly { image: string }[] } }
    }
    readonly status?: { readonly observedGeneration?: number; readonly completionTime?: string }
  }[]
}

/** Names of images that cannot be pulled. Pods with such an image never become ready. */
const unpullable = /^missing/

/**
 * Writes the status of Deployments and Jobs, as their controllers do when all pods are ready. Clients wait for this status. No pods are
 * created.
 */
export function startStandInControllers(client: HttpsClient): AsyncDisposable {
  let stopped = false
  const runController = async (): Promise<void> => {
    while (!stopped) {
      await setDeployments(client)
      await setJobs(client)
      await setTimeout(50)
    }
  }
  const working = runController()
  return {
    async [Symbol.asyncDispose]() {
      stopped = true
      await working
    },
  }
}

async function setDeployments(client: HttpsClient): Promise<void> {
  const { items } = (await client.request('GET', '/apis/apps/v1/deployments')).parseJson<Listed>()
  for (const { metadata, spec, status } of items) {
    if (status?.observedGeneration === metadata.generation) continue
    if (spec.template.spec.containers.some(({ image }) => unpullable.test(image))) continue
    const replicas = spec.replicas ?? 1
    const conditions = [
      { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
    ]
    await setStatus(client, `/apis/apps/v1/namespaces/${metadata.namespace}/deployments/${metadata.name}/status`, {
      observedGeneration: metadata.generation,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      conditions,
    })
  }
}

async function setJobs(client: HttpsClient): Promise<void> {
  const { items } = (await client.request('GET', '/apis/batch/v1/jobs')).parseJson<Listed>()
  for (const { metadata, status } of items) {
    if (status?.completionTime !== undefined) continue
    const now = new Date().toISOString().replace(/\.\d+/, '')
    await setStatus(client, `/apis/batch/v1/namespaces/${metadata.namespace}/jobs/${metadata.name}/status`, {
      startTime: now,
      completionTime: now,
      succeeded: 1,
      uncountedTerminatedPods: {},
      conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True', lastTransitionTime: now })),
    })
  }
}

/**
 * Writes the status of an object. Ignores an object that was deleted or changed in the meantime, because the next round handles it again.
 */
async function setStatus(client: HttpsClient, path: string, status: object): Promise<void> {
  const answer = await client.request('PATCH', path, { body: { status }, headers: { 'content-type': 'application/merge-patch+json' } })
  if (![200, 404, 409].includes(answer.status)) throw new Error(`PATCH ${path}: ${answer.text}`)
}
