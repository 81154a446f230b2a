import { createSecureServer } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { computeMedian } from '../frame/middle.ts'
import { createSelfSigned } from '../self-signed.ts'

/** An admission webhook that allows everything. */
export interface AdmissionHook extends AsyncDisposable {
  readonly url: string
  /** The certificate in base64. */
  readonly caBundle: string
  /** Returns the median time in milliseconds that the hook took for the calls since the last reading, and their number. */
  readTime(): { readonly milliseconds: number; readonly calls: number }
}

export async function startAdmissionHook(): Promise<AdmissionHook> {
  const { key, cert } = createSelfSigned()
  let times: number[] = []
  const server = createSecureServer({ key, cert })
  server.on('stream', (stream: ServerHttp2Stream) => {
    const began = performance.now()
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('error', () => {})
    stream.on('end', () => {
      const { apiVersion, kind, request } = JSON.parse(Buffer.concat(chunks).toString()) as {
        readonly apiVersion: string
        readonly kind: string
        readonly request: { readonly uid: string }
      }
      stream.respond({ ':status': 200, 'content-type': 'application/json' })
      stream.end(JSON.stringify({ apiVersion, kind, response: { uid: request.uid, allowed: true } }))
      times.push(performance.now() - began)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    caBundle: Buffer.from(cert).toString('base64'),
    readTime() {
      const read = { milliseconds: computeMedian(times), calls: times.length }
      times = []
      return read
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
