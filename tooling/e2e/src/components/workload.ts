import { setTimeout as wait } from 'node:timers/promises'
import { HttpsClient } from '../https-client.ts'

const namespace = 'work'
const apps = `/apis/apps/v1/namespaces/${namespace}`

function createPodTemplate(image: string): object {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } }
}

/** The steps of a typical workload. Each step resolves when the controllers, the scheduler and the kubelets have completed it. */
export function createWorkloadSteps(server: {
  readonly url: string
  readonly token: string
}): readonly (readonly [string, () => Promise<void>])[] {
  const client = new HttpsClient(server.url, server.token)
  const send = async (method: string, path: string, body?: object): Promise<void> => {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
    const answer = await client.request(method, path, { headers, ...(body && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  }
  const waitUntil = async (path: string, holds: (status: number, body: Body) => boolean): Promise<void> => {
    for (let attempt = 0; ; attempt++) {
      const answer = await client.request('GET', path)
      if (holds(answer.status, answer.parseJson<Body>())) return
      if (attempt === 240) throw new Error(`${path} did not change in time: ${answer.text.slice(0, 2000)}`)
      await wait(500)
    }
  }
  const isRolledOut = (_status: number, { metadata, spec, status }: Body): boolean =>
    status?.['observedGeneration'] === metadata?.['generation'] &&
    status?.['updatedReplicas'] === spec?.['replicas'] &&
    status?.['availableReplicas'] === spec?.['replicas'] &&
    status?.['replicas'] === spec?.['replicas']
  return [
    [
      'two nodes become ready',
      () =>
        waitUntil('/api/v1/nodes', (_status, { items = [] }) => {
          const ready = items.filter(({ status }) => JSON.stringify(status?.['conditions'] ?? []).includes('"KubeletReady"'))
          return ready.length === 2
        }),
    ],
    [
      'a deployment becomes available',
      async () => {
        await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
        await waitUntil(`/api/v1/namespaces/${namespace}/serviceaccounts/default`, (status) => status === 200)
        await send('POST', `${apps}/deployments`, {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'web' },
          spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: createPodTemplate('web:1') },
        })
        await waitUntil(`${apps}/deployments/web`, isRolledOut)
      },
    ],
    [
      'the deployment rolls out a new image',
      async () => {
        await send('PATCH', `${apps}/deployments/web`, { spec: { template: createPodTemplate('web:2') } })
        await waitUntil(`${apps}/deployments/web`, isRolledOut)
      },
    ],
    [
      'a service gets its endpoints',
      async () => {
        const spec = { selector: { app: 'web' }, ports: [{ port: 80 }] }
        await send('POST', `/api/v1/namespaces/${namespace}/services`, {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'web' },
          spec,
        })
        await waitUntil(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, (_status, { items = [] }) =>
          items.some((slice) => (slice.endpoints ?? []).length === 3),
        )
      },
    ],
    [
      'a job creates its pod',
      async () => {
        const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'job', image: 'job:1' }] } }
        await send('POST', `/apis/batch/v1/namespaces/${namespace}/jobs`, {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name: 'job' },
          spec: { template },
        })
        await waitUntil(`/apis/batch/v1/namespaces/${namespace}/jobs/job`, (_status, { status }) => status?.['active'] === 1)
      },
    ],
    [
      'the namespace is deleted with all its objects',
      async () => {
        await send('DELETE', `/api/v1/namespaces/${namespace}`)
        await waitUntil(`/api/v1/namespaces/${namespace}`, (status) => status === 404)
      },
    ],
  ]
}

interface Body {
  readonly items?: readonly (Body & { readonly endpoints?: readonly unknown[] })[]
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: Readonly<Record<string, unknown>>
}
