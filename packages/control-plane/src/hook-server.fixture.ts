import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TLSSocket } from 'node:tls'

/** A call of a webhook. */
export interface HookCall {
  readonly path: string
  readonly authorization: string | undefined
  /** Common name of the client's certificate. */
  readonly client: string | undefined
  readonly request: { readonly uid: string; readonly object: Record<string, unknown> | null; readonly [member: string]: unknown }
}

/** Answers a call. Returns the response of the review without its uid, or undefined if it has answered itself. */
export type HookHandler = (call: HookCall, response: ServerResponse) => object | undefined

export interface HookServer extends AsyncDisposable {
  readonly url: string
  /** The CA bundle for webhook configurations. */
  readonly caBundle: string
  readonly certificate: string
  readonly key: string
  readonly calls: HookCall[]
}

/** Starts a server for webhooks. Each path has its own handler. Clients may have certificates of the server's own CA. */
export async function startHookServer(handlers: Readonly<Record<string, HookHandler>>): Promise<HookServer> {
  const { certificate, key } = createKeyPair()
  const calls: HookCall[] = []
  const server = createServer(
    { cert: certificate, key, ca: certificate, requestCert: true, rejectUnauthorized: false },
    (request, response) => void answer(request, response),
  )
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const review = JSON.parse(Buffer.concat(chunks).toString()) as { readonly apiVersion: string; readonly request: HookCall['request'] }
    const name = request.url!.slice(1).replace(/\?.*/, '')
    const { CN: client } = ((request.socket as TLSSocket).getPeerCertificate().subject ?? {}) as { readonly CN?: string }
    const call: HookCall = { path: request.url!, authorization: request.headers.authorization, client, request: review.request }
    calls.push(call)
    const result = handlers[name]!(call, response)
    if (result === undefined) return
    const { uid } = review.request
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: 'AdmissionReview', response: { uid, ...result } }))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(certificate).toString('base64'),
    certificate,
    key,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function createKeyPair(): { readonly certificate: string; readonly key: string } {
  const directory = mkdtempSync(path.join(tmpdir(), 'keelson-hooks-'))
  const [crt, key] = [path.join(directory, 'crt'), path.join(directory, 'key')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=hook']
  execFileSync('openssl', [...request, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', crt], { stdio: 'ignore' })
  const pair = { certificate: readFileSync(crt, 'utf8'), key: readFileSync(key, 'utf8') }
  rmSync(directory, { recursive: true })
  return pair
}
