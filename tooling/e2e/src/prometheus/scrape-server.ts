import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import https from 'node:https'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { HttpsClient } from '../https-client.ts'
import { startKeelsonProcess } from '../keelson-process.ts'
import type { KeelsonProcess } from '../keelson-process.ts'
import type { ScrapedPage } from './prometheus.ts'

/** Labels that Prometheus adds to the series of a target. */
export const targetLabels = { job: 'kube-apiserver', instance: 'a', cluster: 'c' } as const

const scrapes = 4
const intervalMs = 30_000
const configMaps = '/api/v1/namespaces/default/configmaps'
const group = 'metrics.example.com'
const lostGroup = 'lost.example.com'

/**
 * Starts a server and scrapes it between requests of all kinds. Some reads and writes fail. The pages are dated as if there were half a minute
 * between two scrapes.
 */
export async function scrapeServer(): Promise<readonly ScrapedPage[]> {
  await using server = await startKeelsonProcess({ flags: ['--storage-backend=memory'], controllers: '*' })
  using client = new HttpsClient(server.url, server.token)
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const backend = await startBackend(server)
  try {
    await createFailingParts(client, `https://127.0.0.1:${readPort(silent)}/`)
    await createUnavailableService(client, readPort(backend))
    const pages: ScrapedPage[] = []
    const last = Date.now()
    for (let n = 0; n < scrapes; n++) {
      await sendRequests(client, server, n)
      const page = await client.request('GET', '/metrics')
      pages.push({
        at: last - (scrapes - 1 - n) * intervalMs,
        contentType: String(page.headers['content-type']),
        text: `${page.text}# TYPE up gauge\nup 1\n`,
      })
    }
    return pages
  } finally {
    silent.close()
    backend.close()
    backend.closeAllConnections()
  }
}

/** Creates a webhook that does not answer, and a definition whose conversion fails. */
async function createFailingParts(client: HttpsClient, silentUrl: string): Promise<void> {
  await create(client, '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'silent' },
    webhooks: [
      {
        name: 'silent.example.com',
        clientConfig: { url: silentUrl },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
      },
    ],
  })
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  await create(client, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind: 'Gadget', plural: 'gadgets' },
      versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1/' } },
      },
    },
  })
  const body = { apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name: 'a' } }
  for (const deadline = Date.now() + 60_000; ; await wait(50)) {
    const { status } = await client.request('POST', `/apis/${group}/v1/gadgets`, { body })
    if (status === 201) break
    if (Date.now() > deadline) throw new Error(`the custom resource is not served: ${status}`)
  }
}

/** Starts an API server that has a resource list at every path, with the certificate of the tested server. */
async function startBackend({ dataDir }: KeelsonProcess): Promise<https.Server> {
  const [cert, key] = await Promise.all(['apiserver.crt', 'apiserver.key'].map((name) => readFile(path.join(dataDir, 'certs', name))))
  const backend = https.createServer({ cert, key }, (_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${lostGroup}/v1`, resources: [] }))
  })
  backend.listen(0, '127.0.0.1')
  await once(backend, 'listening')
  return backend
}

/** Creates an APIService, waits until it is available, and deletes its service. */
async function createUnavailableService(client: HttpsClient, port: number): Promise<void> {
  const services = '/api/v1/namespaces/default/services'
  const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices'
  const name = `v1.${lostGroup}`
  await create(client, services, {
    metadata: { name: 'lost' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port }] },
  })
  await create(client, apiServices, {
    metadata: { name },
    spec: {
      group: lostGroup,
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'lost', port },
    },
  })
  const waitForCondition = async (status: string): Promise<void> => {
    for (const deadline = Date.now() + 60_000; ; await wait(50)) {
      const { text: found } = await client.request('GET', `${apiServices}/${name}`)
      if (new RegExp(`"type":"Available","status":"${status}"`).test(found)) return
      if (Date.now() > deadline) throw new Error(`the APIService is not ${status}: ${found}`)
    }
  }
  await waitForCondition('True')
  await client.request('DELETE', `${services}/lost`)
  await waitForCondition('False')
}

async function create(client: HttpsClient, target: string, body: object): Promise<void> {
  const { status, text: answer } = await client.request('POST', target, { body })
  if (status !== 201) throw new Error(`${target} returned ${status}: ${answer}`)
}

function readPort(server: Server): number {
  return (server.address() as AddressInfo).port
}

async function sendRequests(client: HttpsClient, server: KeelsonProcess, n: number): Promise<void> {
  const name = `c${n}`
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { n: String(n) } }
  const send = (method: string, target: string, body?: object, type = 'application/json'): Promise<unknown> =>
    client.request(method, target, { ...(body && { body, headers: { 'content-type': type } }) })
  await send('POST', configMaps, object)
  await send('PUT', `${configMaps}/${name}`, { ...object, data: { n: 'x' } })
  await send('PATCH', `${configMaps}/${name}`, { data: { a: 'b' } }, 'application/merge-patch+json')
  await send('PATCH', `${configMaps}/${name}?fieldManager=a`, object, 'application/apply-patch+yaml')
  for (const target of [`${configMaps}/${name}`, `${configMaps}/none`, configMaps, '/api/v1/configmaps']) await send('GET', target)
  await send('DELETE', `${configMaps}/${name}`)
  await send('POST', configMaps, { metadata: {} })
  await send('GET', `/apis/${group}/v2/gadgets`)
  await send('POST', '/api/v1/namespaces/default/secrets?timeout=300ms', { metadata: { name } })
  await requestWithCertificate(server)
}

/** Reads with the client certificate of the administrator's kubeconfig. */
async function requestWithCertificate({ url, kubeconfig }: KeelsonProcess): Promise<void> {
  const config = await readFile(kubeconfig, 'utf8')
  const read = (field: string): Buffer => Buffer.from(new RegExp(`${field}: "?([\\w+/=]+)`).exec(config)?.[1] ?? '', 'base64')
  const request = https.get(`${url}/api/v1/namespaces/default`, {
    rejectUnauthorized: false,
    agent: false,
    cert: read('client-certificate-data'),
    key: read('client-key-data'),
  })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  await text(response)
}
