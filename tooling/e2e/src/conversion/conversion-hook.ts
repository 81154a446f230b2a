import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import https from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'

export interface CustomObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly resourceVersion?: string }
  readonly spec?: unknown
}

export interface ConversionReview {
  readonly apiVersion: string
  readonly kind: string
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly CustomObject[] }
}

/** Responds to one call. `respond` sends a ConversionReview with these objects. */
export type HookBehavior = (review: ConversionReview, call: HookCall) => Promise<void> | void

export interface HookCall {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The objects of the review with the desired apiVersion. */
  readonly converted: readonly CustomObject[]
  respond(objects: readonly unknown[], changes?: { readonly uid?: string }): void
}

/** A conversion webhook. The path of a call selects the behavior. */
export interface ConversionHook extends AsyncDisposable {
  readonly url: string
  /** The certificate in base64, for `caBundle`. */
  readonly caBundle: string
  /** The number of calls that wait for a response. */
  readonly waiting: () => number
}

/** Starts a conversion webhook with a self-signed certificate. */
export async function startConversionHook(behaviors: Readonly<Record<string, HookBehavior>>): Promise<ConversionHook> {
  const pair = createKeyPair()
  let waiting = 0
  const server = https.createServer(pair, (request, response) => {
    waiting++
    response.once('close', () => waiting--)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as ConversionReview
      const converted = review.request.objects.map((object) => ({ ...object, apiVersion: review.request.desiredAPIVersion }))
      const respond: HookCall['respond'] = (convertedObjects, changes) => {
        const { apiVersion, kind } = review
        const body = { uid: review.request.uid, convertedObjects, result: { status: 'Success' }, ...changes }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ apiVersion, kind, response: body }))
      }
      const name = (request.url ?? '').split('?')[0]!.slice(1)
      void behaviors[name]!(review, { request, response, converted, respond })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(pair.cert).toString('base64'),
    waiting: () => waiting,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function createKeyPair(): { readonly cert: string; readonly key: string } {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-hook-'))
  const [crt, key] = [path.join(directory, 'crt'), path.join(directory, 'key')]
  const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=hook']
  execFileSync('openssl', ['req', ...options, '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', crt], {
    stdio: 'ignore',
  })
  const pair = { cert: readFileSync(crt, 'utf8'), key: readFileSync(key, 'utf8') }
  rmSync(directory, { recursive: true })
  return pair
}
