import https from 'node:https'
import type { IncomingMessage } from 'node:http'
import { startServer } from '../http/server-process.ts'
import { fail, newResult, type Scenario } from './scenario.ts'

const clients = 32
const watches = 20
const stopWithinMs = 10_000
const path = '/api/v1/namespaces/default/configmaps'

/** Scenario that stops a server with SIGTERM during reads, writes and watches. */
export const stopUnderLoad: Scenario = {
  name: 'stop-under-load',
  about: 'SIGTERM under load: all responses and watches end completely, and the process exits within 10 s',
  rounds: 20,
  roundsPerPart: 20,
  shortRounds: 1,
  async run({ rounds, directory, random, note }) {
    const result = newResult()
    for (let round = 0; round < rounds; round++) {
      await using server = await startServer(directory)
      const agent = new https.Agent({ keepAlive: true, maxSockets: clients, rejectUnauthorized: false })
      const watchAgent = new https.Agent({ rejectUnauthorized: false })
      const common = {
        host: '127.0.0.1',
        port: server.port,
        headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      }
      let stopping = false
      let number = 0

      /**
       * Sends a request and returns the status code. Returns undefined if the server no longer accepts requests. Rejects if the server
       * accepted the request and did not send a complete response.
       */
      const sendRequest = (method: string, target: string, body?: object): Promise<number | undefined> =>
        new Promise((resolve, reject) => {
          const request = https.request({ ...common, agent, method, path: target }, (response) => {
            response.resume()
            response.on('end', () =>
              response.complete ? resolve(response.statusCode) : reject(new Error(`${method} ${target}: incomplete response`)),
            )
            response.on('error', (error) => reject(new Error(`${method} ${target}: ${error.message} while reading the response`)))
          })
          let connected = false
          request.on('socket', (socket) => request.reusedSocket || socket.once('secureConnect', () => (connected = true)))
          request.on('error', (error: NodeJS.ErrnoException) => {
            // While stopping, the server may close an idle connection on which a request is being sent, and it refuses new connections.
            if (stopping && (request.reusedSocket || !connected)) resolve(undefined)
            else reject(new Error(`${method} ${target}: ${error.code ?? error.message}${stopping ? ' while stopping' : ''}`))
          })
          request.end(body === undefined ? undefined : JSON.stringify(body))
        })
      const load = async (): Promise<void> => {
        for (;;) {
          const id = number++
          const status = await (random() < 0.5
            ? sendRequest('POST', path, { metadata: { name: `c${id}` }, data: { x: 'y'.repeat(3000) } })
            : sendRequest('GET', random() < 0.3 ? `${path}?limit=500` : `${path}/c${Math.floor(id / 2)}`))
          result.operations++
          if (status === undefined || status === 429 || (stopping && status === 503)) return
          if (status >= 500) fail(result, `returned ${status}`)
        }
      }
      const ends = Array.from({ length: watches }, () => watchEnd({ ...common, agent: watchAgent, path: `${path}?watch=1` }))
      const loads = Array.from({ length: clients }, () => load().catch((error: unknown) => fail(result, String(error))))
      await new Promise((resolve) => setTimeout(resolve, 300 + random() * 700))
      stopping = true
      const { code, milliseconds } = await server.stop()
      await Promise.all(loads)
      for (const end of await Promise.all(ends)) {
        result.events += end.events
        if (end.wrong !== undefined) fail(result, `a watch ${end.wrong}`)
      }
      if (code !== 0) fail(result, `ended with ${code}: ${server.loggedErrors()}`)
      if (milliseconds > stopWithinMs) fail(result, `took ${milliseconds.toFixed(0)} ms`)
      if (server.loggedErrors() !== '') fail(result, `the server logged errors: ${server.loggedErrors().slice(0, 1000)}`)
      agent.destroy()
      watchAgent.destroy()
      note(`exited after ${milliseconds.toFixed(0)} ms, ${result.operations} requests so far`)
      result.rounds++
    }
    return result
  },
}

interface WatchEnd {
  readonly events: number
  readonly wrong: string | undefined
}

function watchEnd(options: https.RequestOptions): Promise<WatchEnd> {
  return new Promise((resolve) => {
    let text = ''
    const end = (wrong: string | undefined): void => resolve({ events: text.split('\n').length - 1, wrong })
    const request = https.get(options, (response: IncomingMessage) => {
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', (error) => end(`was aborted: ${error.message}`))
      response.on('end', () =>
        end(response.complete && (text === '' || text.endsWith('\n')) ? undefined : 'ended in the middle of an event'),
      )
    })
    request.on('error', (error) => end(`was refused: ${error.message}`))
  })
}
