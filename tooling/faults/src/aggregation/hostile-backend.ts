import { createSelfSigned } from '@keelson/tooling-bench/self-signed'
import type { JsonObject } from '@keelson/apimachinery'
import https from 'node:https'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

type Respond = (request: IncomingMessage, response: ServerResponse) => void

const piece = Buffer.alloc(100_000, '{"paths":{"/":{}}} ')
const openApiPieces = 1000
/** Pause after each piece in milliseconds. Without it, this process would be too busy to measure how fast the server answers others. */
const pauseMs = 5

const send = (response: ServerResponse, body: JsonObject): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** A list of resources that another group has, under the name of that group. */
const liedResources = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'apps/v1',
  resources: [{ name: 'deployments', singularName: 'deployment', namespaced: true, kind: 'Stolen', verbs: ['get', 'list', 'create'] }],
}
const liedGroups = {
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: [
    {
      metadata: { name: 'apps' },
      versions: [
        {
          version: 'v1',
          freshness: 'Current',
          resources: [
            {
              resource: 'deployments',
              responseKind: { group: 'apps', version: 'v1', kind: 'Stolen' },
              scope: 'Namespaced',
              verbs: ['get'],
            },
          ],
        },
      ],
    },
  ],
}

const answerHonestly: Respond = (request, response) => {
  const [, , group = '', version = ''] = (request.url ?? '').split(/[/?]/)
  const resources = [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list'] }]
  send(response, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/${version}`, resources })
}

/** Writes a long body as fast as the other side reads: as many pieces as given. */
function sendPieces(response: ServerResponse, count: number): void {
  if (count === 0 || response.destroyed) return void response.end()
  if (response.write(piece)) setTimeout(sendPieces, pauseMs, response, count - 1)
  else response.once('drain', () => setTimeout(sendPieces, pauseMs, response, count - 1))
}

/** The behaviours of backends by name. The name is the first label of the group. */
const kinds: Readonly<Record<string, Respond>> = {
  lies: (request, response) => {
    const isAggregated = request.headers.accept?.includes('apidiscovery') === true
    if (request.url?.startsWith('/apis/lies.') === true && !isAggregated) send(response, liedResources)
    else send(response, liedGroups)
  },
  openapi: (request, response) => {
    if (request.url?.startsWith('/openapi') !== true) return answerHonestly(request, response)
    response.writeHead(200, { 'content-type': 'application/json' })
    sendPieces(response, openApiPieces)
  },
  header: (request, response) => {
    if (!isThing(request)) return answerHonestly(request, response)
    const socket = request.socket as Duplex
    socket.write('HTTP/1.1 200 OK\r\nX-Endless: ')
    const write = (): void => {
      while (!socket.destroyed && socket.write('x'.repeat(10_000)));
    }
    socket.on('drain', write)
    write()
  },
  body: (request, response) => {
    if (!isThing(request)) return answerHonestly(request, response)
    response.writeHead(200, { 'content-type': 'application/json' })
    sendPieces(response, Number.POSITIVE_INFINITY)
  },
  hangs: (request, response) => {
    if (!isThing(request)) answerHonestly(request, response)
  },
  breaks: (request, response) => {
    if (!isThing(request)) return answerHonestly(request, response)
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{', () => response.destroy())
  },
}

function isThing({ url }: IncomingMessage): boolean {
  return url?.includes('/things') === true
}

export interface HostileBackend extends AsyncDisposable {
  readonly port: number
  readonly kinds: readonly string[]
  /** Headers of forwarded requests for things. */
  readonly received: readonly IncomingHttpHeaders[]
  /** Number of requests that followed a redirect. */
  readonly followed: number
}

/** Starts a server that behaves badly for each of several groups. */
export async function startHostileBackend(): Promise<HostileBackend> {
  const { key, cert } = createSelfSigned()
  const received: IncomingHttpHeaders[] = []
  let followed = 0
  const server = https.createServer({ key, cert }, (request, response) => {
    response.on('error', () => response.destroy())
    const url = request.url ?? ''
    if (isThing(request)) received.push(request.headers)
    if (url.startsWith('/stolen')) {
      followed++
      return void response.end()
    }
    const kind = /^\/apis\/(\w+)\./.exec(url)?.[1]
    if (kind === 'redirects' && isThing(request)) {
      const { port } = server.address() as AddressInfo
      return void response.writeHead(302, { location: `https://127.0.0.1:${port}/stolen` }).end()
    }
    const respond = kind === undefined ? kinds[url.startsWith('/openapi') ? 'openapi' : 'lies'] : kinds[kind]
    ;(respond ?? answerHonestly)(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    kinds: [...Object.keys(kinds), 'redirects'],
    received,
    get followed() {
      return followed
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
