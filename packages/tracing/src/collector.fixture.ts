import { createServer } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'

/** A collector that accepts spans over gRPC and keeps the bytes of the requests. */
export interface TestCollector extends AsyncDisposable {
  readonly endpoint: string
  /** All requests as text, in which the names and attributes of spans can be found. */
  readonly readReceived: () => string
  readonly requests: () => number
}

const exportPath = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'

/** Starts a collector on a free port, or on a Unix socket. */
export async function startCollector(socket?: string): Promise<TestCollector> {
  const chunks: Buffer[] = []
  let requests = 0
  const server = createServer()
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => sessions.add(session))
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    if (headers[':path'] !== exportPath) return stream.respond({ ':status': 404 }, { endStream: true })
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      requests++
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(Buffer.alloc(5))
    })
  })
  await new Promise<void>((resolve) => (socket === undefined ? server.listen(0, '127.0.0.1', resolve) : server.listen(socket, resolve)))
  return {
    endpoint: socket === undefined ? `127.0.0.1:${(server.address() as AddressInfo).port}` : `unix://${socket}`,
    readReceived: () => Buffer.concat(chunks).toString('latin1'),
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
