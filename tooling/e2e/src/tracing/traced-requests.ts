import { randomBytes } from 'node:crypto'
import { HttpsClient } from '../https-client.ts'
import type { AdmissionHook } from './admission-hook.ts'
import type { CollectorProcess } from './collector-process.ts'
import { formatSpanTree } from './span-tree.ts'

interface TracedRequest {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: unknown
}

const configMaps = '/api/v1/namespaces/default/configmaps'
const metadata = { name: 'traced' }
const watchList = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1'

/** Requests whose traces are compared, in this order. */
export const tracedRequests: readonly TracedRequest[] = [
  { name: 'create', method: 'POST', path: configMaps, body: { metadata, data: { a: '1' } } },
  { name: 'get', method: 'GET', path: `${configMaps}/traced` },
  { name: 'get from the cache', method: 'GET', path: `${configMaps}/traced?resourceVersion=0` },
  { name: 'list', method: 'GET', path: configMaps },
  { name: 'list of the newest state', method: 'GET', path: `${configMaps}?resourceVersion=0` },
  { name: 'list from etcd', method: 'GET', path: '/api/v1/namespaces/default/events?limit=5' },
  {
    name: 'patch',
    method: 'PATCH',
    path: `${configMaps}/traced`,
    type: 'application/merge-patch+json',
    body: { data: { a: '2' } },
  },
  {
    name: 'apply',
    method: 'PATCH',
    path: `${configMaps}/traced?fieldManager=me`,
    type: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { b: '1' } },
  },
  { name: 'update', method: 'PUT', path: `${configMaps}/traced`, body: { metadata, data: { a: '3' } } },
  { name: 'watch', method: 'GET', path: `${configMaps}?watch=1&timeoutSeconds=1` },
  { name: 'watch list', method: 'GET', path: `${configMaps}?${watchList}` },
  { name: 'conflict', method: 'POST', path: configMaps, body: { metadata } },
  { name: 'create through webhooks', method: 'POST', path: '/api/v1/namespaces/default/secrets', body: { metadata } },
  { name: 'delete', method: 'DELETE', path: `${configMaps}/traced` },
  {
    name: 'delete with options',
    method: 'DELETE',
    path: '/api/v1/namespaces/default/secrets/traced',
    body: { propagationPolicy: 'Background' },
  },
  { name: 'delete of a collection', method: 'DELETE', path: configMaps },
  { name: 'health', method: 'GET', path: '/livez' },
]

export interface TracedServer {
  readonly url: string
  readonly token: string
}

/** Sends the requests with a sampled trace context. Returns the trees of the spans that the collector received, one section for each request. */
export async function traceRequests(server: TracedServer, collector: CollectorProcess, hook: AdmissionHook): Promise<string> {
  using client = new HttpsClient(server.url, server.token)
  for (const configuration of hook.configurations()) {
    await client.request('POST', `/apis/admissionregistration.k8s.io/v1/${configuration.plural}`, { body: configuration.object })
  }
  await waitUntilCalled(client, hook)
  const traces: { readonly name: string; readonly traceId: string; readonly parentId: string }[] = []
  for (const { name, method, path, type, body } of tracedRequests) {
    const traceId = randomBytes(16).toString('hex')
    const parentId = randomBytes(8).toString('hex')
    const headers = {
      traceparent: `00-${traceId}-${parentId}-01`,
      'user-agent': 'traced',
      ...(type !== undefined && { 'content-type': type }),
    }
    const { status, text } = await client.request(method, path, { body, headers })
    if (status >= 400 && name !== 'conflict') throw new Error(`${name}: ${status} ${text}`)
    traces.push({ name, traceId, parentId })
  }
  const sections: string[] = []
  for (const { name, traceId, parentId } of traces) {
    const spans = await collector.spansOf(traceId, (received) => received.some((span) => span.parentId === parentId))
    sections.push(`## ${name}\n${formatSpanTree(spans, parentId)}`)
  }
  return sections.join('\n')
}

/** Waits until the server calls the new webhooks. */
async function waitUntilCalled(client: HttpsClient, hook: AdmissionHook): Promise<void> {
  for (let i = 0; i < 100 && hook.calls.length < 2; i++) {
    await client.request('POST', '/api/v1/namespaces/default/secrets?dryRun=All', { body: { metadata: { name: `probe-${i}` } } })
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
