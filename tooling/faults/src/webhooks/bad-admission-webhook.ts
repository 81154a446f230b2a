import { createSelfSigned } from '@keelson/tooling-bench/self-signed'
import type { ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'

/** Wrong answers of an admission webhook by name. The name is the path of the webhook. */
const kinds: Readonly<Record<string, (response: ServerResponse) => void>> = {
  hangs: () => {},
  trickles: (response) => {
    const timer = setInterval(() => response.write(' '), 50)
    response.writeHead(200, { 'content-type': 'application/json' }).once('close', () => clearInterval(timer))
  },
  floods: (response) => sendSpaces(response, Infinity),
  large: (response) => sendSpaces(response, 10 * 2 ** 20),
  closes: (response) => void response.destroy(),
  'closes-within': (response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('{', () => response.destroy())
  },
  redirects: (response) => void response.writeHead(307, { location: '/redirects' }).end(),
  fails: (response) => void response.writeHead(503).end('x'.repeat(2 ** 20)),
  lies: (response) =>
    void response.end('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"other","allowed":true}}'),
}

export interface BadAdmissionWebhook extends AsyncDisposable {
  readonly url: string
  readonly caBundle: string
  readonly kinds: readonly string[]
  /** Returns the highest number of calls at the same time since the last call of this function. */
  takeMaxCalls(): number
}

/** Starts an admission webhook whose answers are wrong or late. */
export async function startBadAdmissionWebhook(): Promise<BadAdmissionWebhook> {
  const { key, cert } = createSelfSigned()
  let [calls, maxCalls] = [0, 0]
  const server = https.createServer({ key, cert }, (request, response) => {
    maxCalls = Math.max(maxCalls, ++calls)
    response.once('close', () => calls--)
    response.on('error', () => response.destroy())
    request.resume().once('end', () => kinds[new URL(request.url ?? '', 'https://localhost').pathname.slice(1)]?.(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(cert).toString('base64'),
    kinds: Object.keys(kinds),
    takeMaxCalls() {
      const taken = maxCalls
      maxCalls = calls
      return taken
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Sends this many spaces, as fast as the caller reads them. */
function sendSpaces(response: ServerResponse, bytes: number): void {
  const chunk = ' '.repeat(2 ** 16)
  response.writeHead(200, { 'content-type': 'application/json' })
  const sendMore = (remaining: number): void => {
    if (response.destroyed) return
    if (remaining <= 0) response.end('{}')
    else if (response.write(chunk)) setImmediate(sendMore, remaining - chunk.length)
    else response.once('drain', () => sendMore(remaining - chunk.length))
  }
  sendMore(bytes)
}
