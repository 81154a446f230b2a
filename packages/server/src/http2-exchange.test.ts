import { connect, constants, createServer } from 'node:http2'
import type { ClientHttp2Session, Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Http2Incoming, Http2Outgoing } from './http2-exchange.ts'

let server: Http2Server
let client: ClientHttp2Session
let serve: (incoming: Http2Incoming, outgoing: Http2Outgoing) => void = () => {}
beforeAll(async () => {
  server = createServer()
  server.on('stream', (stream: ServerHttp2Stream, headers, _flags, rawHeaders) => {
    expect(Http2Incoming.suffices(stream, headers)).toBe(true)
    const incoming = new Http2Incoming(stream, headers, rawHeaders)
    serve(incoming, new Http2Outgoing(incoming))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterAll(async () => {
  client.destroy()
  await new Promise((resolve) => server.close(resolve))
})

function sendRequest(method = 'GET'): Promise<{ headers: IncomingHttpHeaders; body: string }> {
  const stream = client.request({ ':method': method, ':path': '/a?b' })
  return new Promise((resolve, reject) => {
    let headers: IncomingHttpHeaders = {}
    let body = ''
    stream.setEncoding('utf8')
    stream.on('response', (answer) => (headers = answer))
    stream.on('data', (chunk: string) => (body += chunk))
    stream.on('end', () => resolve({ headers, body }))
    stream.on('error', reject)
  })
}

it('sends status, headers and body, but omits connection headers', async () => {
  let finished = 0
  serve = (incoming, outgoing) => {
    outgoing.setHeader('Warning', ['299 - "a"', '299 - "b"'])
    outgoing.setHeader('Connection', 'close')
    outgoing.setHeader('Content-Type', 'text/html')
    expect(outgoing.headersSent).toBe(false)
    outgoing.writeHead(201, ['Audit-Id', 'x', 'content-type', 'text/plain'])
    expect([outgoing.headersSent, outgoing.statusCode]).toEqual([true, 201])
    outgoing.end(`${incoming.method} ${incoming.url}`, () => finished++)
  }
  const { headers, body } = await sendRequest()
  expect(body).toBe('GET /a?b')
  expect(headers).toMatchObject({ ':status': 201, 'audit-id': 'x', 'content-type': 'text/plain', warning: '299 - "a", 299 - "b"' })
  expect(headers).not.toHaveProperty('connection')
  expect(finished).toBe(1)
})

it('sends responses without a body, and in several chunks', async () => {
  let finished = 0
  serve = (_incoming, outgoing) => void outgoing.writeHead(200, ['content-length', '5']).end(() => finished++)
  expect(await sendRequest('HEAD')).toMatchObject({ headers: { ':status': 200, 'content-length': '5' }, body: '' })
  expect(finished).toBe(1)
  serve = (_incoming, outgoing) => {
    outgoing.flushHeaders()
    outgoing.write('one ')
    outgoing.write('two')
    outgoing.end()
  }
  expect((await sendRequest()).body).toBe('one two')
})

it("creates Node's streams on demand", async () => {
  let status = 0
  serve = (incoming, outgoing) => {
    const pair = incoming.getNodePair()
    let body = ''
    pair.incoming.on('data', (chunk) => (body += chunk))
    pair.incoming.on('end', () => {
      pair.outgoing.writeHead(202, { 'content-type': 'text/plain' })
      status = outgoing.statusCode
      void pipeline(Readable.from([`${pair.incoming.url} ${body}`, 'and more']), pair.outgoing)
    })
  }
  expect(await sendRequest()).toMatchObject({ headers: { ':status': 202 }, body: '/a?b and more' })
  expect(status).toBe(202)
})

it('does not report a response as written if its client has disconnected', async () => {
  let finished = 0
  const closed = new Promise<void>((resolve) => {
    serve = (_incoming, outgoing) => {
      outgoing.once('close', resolve)
      // The body is larger than the flow-control window of the client.
      outgoing.end(Buffer.alloc(4 << 20), () => finished++)
    }
  })
  const stream = client.request({ ':path': '/' })
  stream.on('error', () => {})
  stream.on('response', () => stream.close(constants.NGHTTP2_CANCEL))
  await closed
  await new Promise((resolve) => setImmediate(resolve))
  expect(finished).toBe(0)
})

it('ends the exchange when its client disconnects', async () => {
  const closed = new Promise<boolean>((resolve) => {
    serve = (_incoming, outgoing) => {
      outgoing.flushHeaders()
      outgoing.once('close', () => resolve(outgoing.destroyed))
    }
  })
  const stream = client.request({ ':path': '/' })
  stream.on('error', () => {})
  stream.on('response', () => stream.destroy())
  expect(await closed).toBe(true)
})

it.each(['stream', 'session'] as const)('keeps the address of a client that has ended its %s', async (ended) => {
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const incoming = await new Promise<Http2Incoming>((resolve) => {
    serve = (received, outgoing) => {
      outgoing.flushHeaders()
      outgoing.once('close', () => setImmediate(resolve, received))
    }
    const stream = session.request({ ':path': '/' })
    stream.on('error', () => {})
    stream.on('response', () => (ended === 'stream' ? stream.destroy() : session.destroy()))
  })
  expect(incoming.destroyed).toBe(true)
  expect(incoming.socket).toMatchObject({ remoteAddress: '127.0.0.1', remotePort: expect.any(Number) as number })
  session.destroy()
})
