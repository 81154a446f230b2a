import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { createServer as createSocketServer, type AddressInfo, type Server as SocketServer } from 'node:net'
import { Server, ServerCredentials, status, type ServiceError } from '@grpc/grpc-js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createDial } from './dial.ts'
import { Http2Channel } from './http2-channel.ts'
import { readFailure } from './translate-error.ts'
import { UnaryCall } from './unary-call.ts'

const toBytes = (value: unknown): Buffer => value as Buffer
const method = { path: '/test.Test/Say', requestSerialize: toBytes, responseDeserialize: (answer: Buffer): unknown => String(answer) }
const channels: Http2Channel[] = []

function openChannelTo(port: number): Http2Channel {
  const dial = createDial({ target: { hostname: '127.0.0.1', port } })
  const channel = new Http2Channel({ dial, authority: `127.0.0.1:${port}`, scheme: 'http' })
  channels.push(channel)
  return channel
}

afterEach(() => {
  for (const channel of channels.splice(0)) channel.close()
})

interface SayOptions {
  readonly deadline?: number
  readonly started?: (call: { cancel(): void }) => void
}

function callSay(channel: Http2Channel, text: string, { deadline, started }: SayOptions = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | undefined, answer: unknown): void => (error === undefined ? resolve(answer) : reject(error))
    const call = new UnaryCall({ channel, method, request: Buffer.from(text), deadline, done: settle })
    call.start()
    started?.(call)
  })
}

async function readCallFailure(saying: Promise<unknown>): Promise<ReturnType<typeof readFailure> & { readonly code: number }> {
  const error = await saying.then(
    () => expect.unreachable('it was answered'),
    (thrown: unknown) => thrown,
  )
  return { ...readFailure(error), code: (error as { readonly code: number }).code }
}

describe('a call to a gRPC server', () => {
  const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 })
  let port = 0

  beforeAll(async () => {
    const definition = {
      path: method.path,
      requestStream: false,
      responseStream: false,
      requestSerialize: toBytes,
      requestDeserialize: toBytes,
      responseSerialize: toBytes,
      responseDeserialize: toBytes,
    } as const
    server.addService(
      { say: definition },
      {
        say(call: { readonly request: Buffer }, answer: (error: Partial<ServiceError> | null, value?: Buffer) => void) {
          const text = String(call.request)
          if (text === 'refuse') answer({ code: status.OUT_OF_RANGE, details: 'the revision “5” is compacted: 100 %' })
          else if (text !== 'silence') answer(null, call.request)
        },
      },
    )
    port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)))
    })
  })
  afterAll(() => server.forceShutdown())

  it.each([0, 1, 70_000, 9_000_000])('returns a response of %i bytes', async (length) => {
    const text = 'x'.repeat(length)
    expect((await callSay(openChannelTo(port), text)) === text).toBe(true)
  })

  it('concurrent calls share a connection', async () => {
    const channel = openChannelTo(port)
    const texts = Array.from({ length: 300 }, (_, i) => `${i}`)
    expect(await Promise.all(texts.map((text) => callSay(channel, text)))).toEqual(texts)
  })

  it("fails with the server's status code and message", () =>
    expect(callSay(openChannelTo(port), 'refuse')).rejects.toMatchObject({
      code: status.OUT_OF_RANGE,
      details: 'the revision “5” is compacted: 100 %',
    }))

  it('a call can be cancelled before and after connecting', async () => {
    const channel = openChannelTo(port)
    const early = callSay(channel, 'silence', { started: (call) => call.cancel() })
    await expect(early).rejects.toMatchObject({ code: status.CANCELLED })
    const lateCall = callSay(channel, 'silence', { started: (call) => setTimeout(() => call.cancel(), 20) })
    await expect(lateCall).rejects.toMatchObject({ code: status.CANCELLED })
    expect(await callSay(channel, 'then')).toBe('then')
  })

  it('a call fails at its deadline, with an unknown outcome', async () => {
    const channel = openChannelTo(port)
    // Connects before the call, so that the call is sent before its deadline.
    await callSay(channel, 'first')
    const failure = await readCallFailure(callSay(channel, 'silence', { deadline: Date.now() + 50 }))
    expect(failure).toMatchObject({ code: status.DEADLINE_EXCEEDED, outcome: 'unknown', transient: true })
  })
})

describe('a call to another HTTP/2 server', () => {
  let server: Http2Server
  let answer: (stream: ServerHttp2Stream, session: ServerHttp2Session) => void
  let connections = 0
  const validBody = Buffer.from('\0\0\0\0\x02ok')

  beforeAll(async () => {
    server = createServer()
    server.on('session', () => connections++)
    server.on('sessionError', () => {})
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.on('error', () => {})
      answer(stream, stream.session as ServerHttp2Session)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => server.close())
  const openChannel = (): Http2Channel => openChannelTo((server.address() as AddressInfo).port)

  function respond(stream: ServerHttp2Stream, chunks: readonly Buffer[], trailers: Record<string, string>): void {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    for (const part of chunks) stream.write(part)
    stream.end()
  }

  it('accepts a response that arrives in several chunks', async () => {
    answer = (stream) =>
      respond(stream, [validBody.subarray(0, 2), validBody.subarray(2, 6), validBody.subarray(6)], { 'grpc-status': '0' })
    expect(await callSay(openChannel(), '')).toBe('ok')
  })

  it('sends the headers that gRPC requires', async () => {
    let headers: Record<string, unknown> = {}
    answer = (stream) => respond(stream, [validBody], { 'grpc-status': '0' })
    server.once('stream', (_stream, received) => (headers = received))
    await callSay(openChannel(), '', { deadline: Date.now() + 60_000 })
    expect(headers).toMatchObject({ ':method': 'POST', ':path': method.path, te: 'trailers', 'content-type': 'application/grpc' })
    expect(headers['grpc-timeout']).toMatch(/^\d{5}m$/)
  })

  it.each<[string, (stream: ServerHttp2Stream, session: ServerHttp2Session) => void, number, string]>([
    [
      'trailers only',
      (stream) => stream.respond({ ':status': 200, 'grpc-status': '9', 'grpc-message': 'no%2C' }, { endStream: true }),
      status.FAILED_PRECONDITION,
      'none',
    ],
    ['no status', (stream) => respond(stream, [validBody], {}), status.INTERNAL, 'unknown'],
    ['no message', (stream) => respond(stream, [], { 'grpc-status': '0' }), status.INTERNAL, 'unknown'],
    ['a cut message', (stream) => respond(stream, [validBody.subarray(0, 6)], { 'grpc-status': '0' }), status.INTERNAL, 'unknown'],
    [
      'a compressed message',
      (stream) => respond(stream, [Buffer.from('\x01\0\0\0\x02ok')], { 'grpc-status': '0' }),
      status.INTERNAL,
      'unknown',
    ],
    ['a proxy without a server', (stream) => stream.respond({ ':status': 503 }, { endStream: true }), status.UNAVAILABLE, 'unknown'],
    ['a proxy that refuses', (stream) => stream.respond({ ':status': 403 }, { endStream: true }), status.PERMISSION_DENIED, 'none'],
    ['a reset', (stream) => stream.close(2), status.INTERNAL, 'unknown'],
    ['a refused stream', (stream) => stream.close(7), status.UNAVAILABLE, 'unknown'],
    ['a lost connection', (_stream, session) => session.destroy(), status.UNAVAILABLE, 'unknown'],
    ['a connection ended in anger', (_stream, session) => session.goaway(11), status.UNAVAILABLE, 'unknown'],
  ])('reports %s', async (_name, wrong, code, outcome) => {
    const channel = openChannel()
    answer = wrong
    expect(await readCallFailure(callSay(channel, ''))).toMatchObject({ code, outcome })
    answer = (stream) => respond(stream, [validBody], { 'grpc-status': '0' })
    expect(await callSay(channel, '')).toBe('ok')
  })

  it('lets pending calls finish after GOAWAY and opens a new connection for later calls', async () => {
    const channel = openChannel()
    const oldCount = connections
    const requested = new Promise<{ stream: ServerHttp2Stream; session: ServerHttp2Session }>((resolve) => {
      answer = (stream, session) => resolve({ stream, session })
    })
    const first = callSay(channel, '')
    const { stream, session } = await requested
    expect(channel.current).toBeDefined()
    session.close()
    await expect.poll(() => channel.current).toBeUndefined()
    answer = (next) => respond(next, [validBody], { 'grpc-status': '0' })
    expect(await callSay(channel, '')).toBe('ok')
    respond(stream, [validBody], { 'grpc-status': '0' })
    expect(await first).toBe('ok')
    expect(connections - oldCount).toBe(2)
  })
})

describe('a call to something other than an HTTP/2 server', () => {
  let server: SocketServer | undefined
  afterEach(() => server?.close())

  async function listen(answer: 'silence' | 'nonsense' | 'end'): Promise<number> {
    server = createSocketServer((socket) => {
      socket.on('error', () => {})
      if (answer === 'end') socket.destroy()
      else if (answer === 'nonsense') socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
    })
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  it.each(['nonsense', 'end'] as const)('%s: reports that the call was never sent', async (answers) => {
    const failure = await readCallFailure(callSay(openChannelTo(await listen(answers)), ''))
    expect(failure).toMatchObject({ code: status.UNAVAILABLE, outcome: 'none', transient: true })
  })

  it('reports at the deadline that the call was never sent if the server does not respond', async () => {
    const failure = await readCallFailure(callSay(openChannelTo(await listen('silence')), '', { deadline: Date.now() + 30 }))
    expect(failure).toMatchObject({ code: status.DEADLINE_EXCEEDED, outcome: 'none', transient: true })
  })

  it('reports that the call was never sent, with the reason, if nothing listens at the address', async () => {
    const port = await listen('end')
    await new Promise((resolve) => server?.close(resolve))
    const failure = await readCallFailure(callSay(openChannelTo(port), ''))
    expect(failure).toMatchObject({ outcome: 'none', transient: true, message: expect.stringContaining('ECONNREFUSED') as string })
  })
})
