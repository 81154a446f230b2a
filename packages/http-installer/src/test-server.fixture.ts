import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createApiTypes } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import { eventsV1 } from '@keelson/api/events/v1'
import { metaV1 } from '@keelson/api/meta/v1'
import type { AdmissionChain } from '@keelson/registry'
import { Scheme } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { ResourceDefinition, RESTStorage } from '@keelson/registry'
import { openTestStore } from '@keelson/registry/testing'
import { Hono } from 'hono'
import type { CborCodec } from '@keelson/exchange'
import { createExchanges, getExchange, installAPIGroup, responseSent, writePageNotFound } from './index.ts'
import type { APIGroupInfo, InstalledRoutes, InstallerEnv, InstallOptions } from './index.ts'

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>
}

const configMaps: ResourceDefinition<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
  shortNames: ['cm'],
  strategy: {},
  columns: [{ name: 'Data', value: (object) => Object.keys(object.data ?? {}).length }],
}

const namespaces: ResourceDefinition = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
  shortNames: ['ns'],
  strategy: {},
  withoutVerbs: ['deletecollection'],
  subresources: { status: { update: {} }, finalize: { update: {}, tabled: false } },
  fillBlank: (namespace) => void (namespace.metadata.labels = { blank: 'yes' }),
}

const types = createApiTypes([coreV1, eventsV1, metaV1])
export const nothingAdmitted: AdmissionChain = { handles: () => false, admit: async () => {}, validate: async () => {} }

export interface TestServer extends AsyncDisposable {
  readonly app: Hono<InstallerEnv>
  readonly base: string
  readonly group: APIGroupInfo
  readonly installed: InstalledRoutes
  readonly errors: unknown[]
  readonly server: http.Server
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly bytes: Buffer
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** Serves groups on a real HTTP server, with real stores on an in-memory backend. */
export async function openTestServer(
  options: InstallOptions & { readonly admission?: AdmissionChain; readonly cbor?: CborCodec } = {},
): Promise<TestServer> {
  const scheme = new Scheme()
  for (const kind of ['ConfigMap', 'Namespace']) {
    const gvk = { group: '', version: 'v1', kind }
    scheme.register({ gvk, hub: gvk })
  }
  const stores = [openTestStore(configMaps, { types }), openTestStore(namespaces, { types })]
  const storage = new Map<string, RESTStorage>(stores.flatMap((store) => [...store.paths]))
  const group: APIGroupInfo = {
    group: '',
    versions: [{ group: '', version: 'v1' }],
    storage: new Map([['v1', storage]]),
    scheme,
    types,
    admission: options.admission ?? nothingAdmitted,
  }
  const errors: unknown[] = []
  const app = new Hono<InstallerEnv>()
  app.use(createExchanges(app, { user: { name: 'tester', groups: ['system:masters'] }, cbor: options.cbor }))
  const installed = installAPIGroup(app, group, { ...options, onInternalError: (error) => errors.push(error) })
  app.notFound((c) => {
    writePageNotFound(getExchange(c))
    return responseSent
  })
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const server = http.createServer((request, response) => {
    request.headers['user-agent'] ??= 'test'
    void listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    app,
    base,
    group,
    installed,
    errors,
    server,
    request: (method, path, body, headers = {}) => request(base, method, path, body, headers),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      for (const store of stores) await store[Symbol.asyncDispose]()
    },
  }
}

function request(base: string, method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
  const raw = body === undefined ? undefined : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const clientRequest = http.request(
      base + path,
      {
        method,
        headers: {
          ...(raw === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(raw) }),
          ...headers,
        },
      },
      (message) => {
        const chunks: Buffer[] = []
        message.on('data', (chunk: Buffer) => chunks.push(chunk))
        message.on('error', reject)
        message.on('end', () => {
          const bytes = Buffer.concat(chunks)
          const text = bytes.toString()
          resolve({
            status: message.statusCode!,
            headers: message.headers,
            bytes,
            text,
            get body() {
              return JSON.parse(text) as unknown
            },
          })
        })
      },
    )
    clientRequest.on('error', reject)
    clientRequest.end(raw)
  })
}

export interface WatchStream {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  /** Resolves with the next event. Rejects at the end of the stream. */
  // oxlint-disable-next-line typescript/no-explicit-any
  next(): Promise<any>
  readonly ended: Promise<void>
  close(): void
}

/** Opens a watch in JSON. The test reads its events one by one. */
export function openWatch(base: string, path: string, headers: Record<string, string> = {}): Promise<WatchStream> {
  return new Promise((resolve, reject) => {
    const clientRequest = http.request(base + path, { headers }, (message) => {
      let incompleteLine = ''
      const lines: string[] = []
      const waiting: { resolve: (event: unknown) => void; reject: (error: unknown) => void }[] = []
      message.setEncoding('utf8')
      message.on('data', (chunk: string) => {
        incompleteLine += chunk
        const newLines = incompleteLine.split('\n')
        incompleteLine = newLines.pop()!
        lines.push(...newLines)
        while (lines.length > 0 && waiting.length > 0) waiting.shift()!.resolve(JSON.parse(lines.shift()!))
      })
      const ended = new Promise<void>((done) => {
        const end = (): void => {
          done()
          for (const { reject: fail } of waiting.splice(0)) fail(new Error('the watch has ended'))
        }
        message.on('end', end)
        message.on('error', end)
      })
      resolve({
        status: message.statusCode!,
        headers: message.headers,
        ended,
        next: () =>
          new Promise((give, fail) => {
            if (lines.length > 0) give(JSON.parse(lines.shift()!))
            else waiting.push({ resolve: give, reject: fail })
          }),
        close: () => clientRequest.destroy(),
      })
    })
    clientRequest.on('error', reject)
    clientRequest.end()
  })
}
