import { createServer } from 'node:https'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createKeyPair } from './hook-server.fixture.ts'

export interface AggregatedCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

export type AggregatedHandler = (request: IncomingMessage, response: ServerResponse) => void

/** An API server that is aggregated: it serves echoes.example.org/v1 from a table of paths. */
export interface AggregatedServer extends AsyncDisposable {
  readonly port: number
  readonly calls: AggregatedCall[]
  /** Answers by path. A string is sent as JSON. A missing path is answered with 404. */
  readonly answers: Map<string, string | AggregatedHandler>
}

export const echoGroup = 'echoes.example.org'

const resources = [{ name: 'echoes', singularName: 'echo', namespaced: true, kind: 'Echo', verbs: ['get', 'list'], shortNames: ['ec'] }]
const version = { groupVersion: `${echoGroup}/v1`, version: 'v1' }
export const resourceList: string = JSON.stringify({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: version.groupVersion,
  resources,
})

export async function startAggregatedServer(): Promise<AggregatedServer> {
  const { certificate, key } = createKeyPair()
  const calls: AggregatedCall[] = []
  const answers = new Map<string, string | AggregatedHandler>([
    [`/apis/${echoGroup}/v1`, resourceList],
    [
      `/apis/${echoGroup}/v1/namespaces/default/echoes/a`,
      JSON.stringify({ kind: 'Echo', apiVersion: `${echoGroup}/v1`, metadata: { name: 'a' } }),
    ],
  ])
  const server = createServer({ cert: certificate, key }, (request, response) => {
    const path = request.url!.replace(/\?.*/, '')
    calls.push({ method: request.method!, path, headers: request.headers })
    const answer = answers.get(path)
    if (typeof answer === 'function') return answer(request, response)
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(answer ?? '{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    answers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
