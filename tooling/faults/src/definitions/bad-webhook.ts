import { createSelfSigned } from '@keelson/tooling-bench/self-signed'
import type { JsonObject } from '@keelson/apimachinery'
import https from 'node:https'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Review {
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: readonly JsonObject[] }
}

type Respond = (response: ServerResponse, review: Review) => void

const answer = (response: ServerResponse, body: JsonObject): void => {
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', ...body }))
}
const success = { status: 'Success' }
const convertObjects = ({ request }: Review, change: JsonObject = {}): JsonObject[] =>
  request.objects.map((object) => Object.assign({}, object, { apiVersion: request.desiredAPIVersion }, change))

/** Wrong answers of a conversion webhook by name. The name is the path of the webhook. */
const kinds: Readonly<Record<string, Respond>> = {
  closes: (response) => void response.destroy(),
  text: (response) => void response.end('not JSON'),
  empty: (response) => answer(response, {}),
  slow: (response) => void setTimeout(() => response.writeHead(503).end(), 3000),
  failure: (response) => void response.writeHead(503).end(),
  redirect: (response) => void response.writeHead(302, { location: '/redirect' }).end(),
  uid: (response, review) => answer(response, { response: { uid: 'other', result: success, convertedObjects: convertObjects(review) } }),
  count: (response, { request: { uid } }) => answer(response, { response: { uid, result: success, convertedObjects: [] } }),
  unconverted: (response, { request: { uid, objects } }) =>
    answer(response, { response: { uid, result: success, convertedObjects: [...objects] } }),
  renamed: (response, review) =>
    answer(response, {
      response: {
        uid: review.request.uid,
        result: success,
        convertedObjects: convertObjects(review, { metadata: { name: 'other' } }),
      },
    }),
  kind: (response, review) =>
    answer(response, {
      response: {
        uid: review.request.uid,
        result: success,
        convertedObjects: convertObjects(review, { kind: 'Other' }),
      },
    }),
  refused: (response, { request: { uid } }) =>
    answer(response, { response: { uid, result: { status: 'Failure', message: 'x'.repeat(100_000) } } }),
  huge: (response) => {
    const chunk = 'x'.repeat(1_000_000)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write('{"response":{"uid":"')
    const sendMore = (remaining: number): void => {
      if (remaining === 0 || response.destroyed) return void response.end('"}}')
      if (response.write(chunk)) setImmediate(sendMore, remaining - 1)
      else response.once('drain', () => sendMore(remaining - 1))
    }
    sendMore(50)
  },
}

export interface BadWebhook extends AsyncDisposable {
  readonly url: string
  readonly caBundle: string
  readonly kinds: readonly string[]
}

/** Starts a conversion webhook whose answers are wrong. */
export async function startBadWebhook(): Promise<BadWebhook> {
  const { key, cert } = createSelfSigned()
  const server = https.createServer({ key, cert }, (request, response) => {
    response.on('error', () => response.destroy())
    void text(request).then((body) =>
      kinds[new URL(request.url ?? '', 'https://localhost').pathname.slice(1)]?.(response, JSON.parse(body) as Review),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(cert).toString('base64'),
    kinds: Object.keys(kinds),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
