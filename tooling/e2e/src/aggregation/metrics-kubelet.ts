import { readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { HttpsClient } from '../https-client.ts'
import { issueCertificate } from '../operators/issue-certificate.ts'

/** The constant usage of a node or container. */
export interface Usage {
  /** In cores. */
  readonly cpu: number
  /** In bytes. */
  readonly memory: number
}

export interface MetricsKubeletOptions {
  readonly openssl: string
  /** Directory for the serving certificate. */
  readonly directory: string
  /** Client of the API server, for reviews of tokens and permissions. */
  readonly client: HttpsClient
  readonly node: Usage
  /** Usage of containers, by namespace, pod and container: "default/web/main". */
  readonly containers: Readonly<Record<string, Usage>>
}

export interface MetricsKubelet extends AsyncDisposable {
  readonly port: number
  /** Users whose requests were answered. */
  readonly users: ReadonlySet<string>
}

const apis = '/apis'

/** Starts the part of a kubelet that metrics-server reads. Like a kubelet, it asks the API server about the token and the permission of a client. */
export async function startMetricsKubelet(options: MetricsKubeletOptions): Promise<MetricsKubelet> {
  const { openssl, directory, client } = options
  const certificate = await issueCertificate(openssl, directory)
  const started = Date.now()
  const users = new Set<string>()

  async function review(incoming: IncomingMessage): Promise<string | undefined> {
    const token = (incoming.headers.authorization ?? '').replace(/^Bearer /, '')
    const tokenReview = await client.request('POST', `${apis}/authentication.k8s.io/v1/tokenreviews`, { body: { spec: { token } } })
    const { authenticated, user } = tokenReview.parseJson<{ status: { authenticated?: boolean; user?: ReviewedUser } }>().status
    if (authenticated !== true || user === undefined) return undefined
    const spec = {
      user: user.username,
      groups: user.groups,
      resourceAttributes: { verb: 'get', resource: 'nodes', subresource: 'metrics' },
    }
    const accessReview = await client.request('POST', `${apis}/authorization.k8s.io/v1/subjectaccessreviews`, { body: { spec } })
    return accessReview.parseJson<{ status: { allowed: boolean } }>().status.allowed ? user.username : undefined
  }

  const server = createServer({ cert: certificate, key: await readFile(path.join(directory, 'tls.key')) }, (incoming, outgoing) => {
    if (incoming.url !== '/metrics/resource') return void outgoing.writeHead(404).end('404 page not found\n')
    void review(incoming).then((user) => {
      if (user === undefined) return outgoing.writeHead(403).end('Forbidden')
      users.add(user)
      return outgoing.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(formatMetrics(options, started))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    users,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface ReviewedUser {
  readonly username: string
  readonly groups: readonly string[]
}

/** Formats the metrics of a kubelet's path /metrics/resource. The processor time since the start grows with the time. */
function formatMetrics({ node, containers }: Pick<MetricsKubeletOptions, 'node' | 'containers'>, started: number): string {
  const now = Date.now()
  // The containers have run for an hour.
  const seconds = 3600 + (now - started) / 1000
  const lines = [
    '# TYPE node_cpu_usage_seconds_total counter',
    `node_cpu_usage_seconds_total ${node.cpu * seconds} ${now}`,
    '# TYPE node_memory_working_set_bytes gauge',
    `node_memory_working_set_bytes ${node.memory} ${now}`,
  ]
  const addAll = (name: string, type: string, valueOf: (usage: Usage) => number): void => {
    lines.push(`# TYPE ${name} ${type}`)
    for (const [key, usage] of Object.entries(containers)) {
      const [namespace, pod, container] = key.split('/')
      lines.push(`${name}{container="${container}",namespace="${namespace}",pod="${pod}"} ${valueOf(usage)} ${now}`)
    }
  }
  addAll('container_cpu_usage_seconds_total', 'counter', ({ cpu }) => cpu * seconds)
  addAll('container_memory_working_set_bytes', 'gauge', ({ memory }) => memory)
  addAll('container_start_time_seconds', 'gauge', () => started / 1000 - 3600)
  return `${lines.join('\n')}\n`
}
