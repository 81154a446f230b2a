import https from 'node:https'
import type { ServerProcess } from '../http/server-process.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'

/** A request whose response arrived completely. Times are those of `performance.now()`. */
export interface AnsweredRequest {
  readonly id: string
  readonly status: number
  /** Body of the response, except for large requests. */
  readonly body: string
  readonly sent: number
  readonly answered: number
}

export interface AuditedLoad {
  /** Prefix of the audit ids. */
  readonly prefix: string
  readonly clients: number
  /** Maximum number of requests. */
  readonly requests: number
  /** Size in bytes of the config maps that requests create. With it, all requests are creates that store nothing. */
  readonly bodySize?: number
}

/** Sends requests with audit ids to a server, until enough are sent or the server ends. Returns those that were answered completely. */
export async function sendAudited(server: ServerProcess, load: AuditedLoad): Promise<readonly AnsweredRequest[]> {
  const { prefix, clients, requests, bodySize } = load
  const agent = new https.Agent({ keepAlive: true, maxSockets: clients, rejectUnauthorized: false })
  const large = bodySize && JSON.stringify({ metadata: { generateName: 'a-' }, data: { a: 'x'.repeat(bodySize) } })
  const answered: AnsweredRequest[] = []
  let count = 0
  const send = (id: string, method: string, path: string, body?: string): Promise<AnsweredRequest | undefined> =>
    new Promise((resolve) => {
      const sent = performance.now()
      const headers = { authorization: `Bearer ${server.token}`, 'audit-id': id, 'content-type': 'application/json' }
      const request = https.request({ host: '127.0.0.1', port: server.port, agent, method, path, headers }, (response) => {
        const chunks: Buffer[] = []
        if (large) response.resume()
        else response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', () => resolve(undefined))
        response.on('close', () => {
          if (!response.complete) return resolve(undefined)
          resolve({ id, status: response.statusCode!, body: Buffer.concat(chunks).toString(), sent, answered: performance.now() })
        })
      })
      request.on('error', () => resolve(undefined))
      request.end(body)
    })
  const sendNext = (n: number): Promise<AnsweredRequest | undefined> => {
    const id = `${prefix}-${n}`
    if (large) return send(id, 'POST', `${configMaps}?dryRun=All`, large)
    if (n % 2 === 0) return send(id, 'POST', configMaps, JSON.stringify({ metadata: { name: id }, data: { a: 'b' } }))
    return send(id, 'GET', n % 5 === 0 ? `${configMaps}?limit=5` : `${configMaps}/${prefix}-${n - 11}`)
  }
  const run = async (): Promise<void> => {
    while (count < requests) {
      const answer = await sendNext(count++)
      if (answer === undefined) return
      // A server that stops refuses requests before it audits them.
      if (answer.status !== 429 && !answer.body.includes('apiserver is shutting down')) answered.push(answer)
    }
  }
  await Promise.all(Array.from({ length: clients }, run))
  agent.destroy()
  return answered
}
