import { credentials, Client, Metadata, Server, ServerCredentials, status, type ServiceError } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUnaryCall, type UnaryCall } from './unary-call.ts'

const bytes = (value: unknown): Buffer => value as Buffer
const method = {
  path: '/test.Test/Say',
  requestSerialize: bytes,
  responseDeserialize: (answer: Buffer): unknown => JSON.parse(String(answer)),
}
const server = new Server()
let client: Client

beforeAll(async () => {
  const definition = {
    ...method,
    requestStream: false,
    responseStream: false,
    requestDeserialize: bytes,
    responseSerialize: bytes,
  } as const
  server.addService(
    { say: { ...definition, responseDeserialize: bytes } },
    {
      say(call: { readonly request: Buffer }, answer: (error: Partial<ServiceError> | null, value?: Buffer) => void) {
        const text = String(call.request)
        if (text === 'refuse') answer({ code: status.OUT_OF_RANGE, details: 'the revision is compacted' })
        else if (text !== 'silence') answer(null, call.request)
      },
    },
  )
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)))
  })
  client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
})

afterAll(() => {
  client.close()
  server.forceShutdown()
})

function say(text: string, { deadline, started }: { deadline?: number; started?: (call: UnaryCall) => void } = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | undefined, answer: unknown): void => (error === undefined ? resolve(answer) : reject(error))
    const call = startUnaryCall({ client, method, metadata: new Metadata(), request: Buffer.from(text), deadline, done })
    started?.(call)
  })
}

it('gives the answer', async () => expect(await say('{"a":1}')).toEqual({ a: 1 }))

it("fails with the server's code and words", () =>
  expect(say('refuse')).rejects.toMatchObject({ code: status.OUT_OF_RANGE, details: 'the revision is compacted' }))

it('fails when the answer cannot be read', () =>
  expect(say('{')).rejects.toMatchObject({ code: status.INTERNAL, details: expect.stringMatching('the answer cannot be read') as string }))

it('can be cancelled', () =>
  expect(say('silence', { started: (call) => setImmediate(() => call.cancel()) })).rejects.toMatchObject({ code: status.CANCELLED }))

it('is given up at its deadline', () =>
  expect(say('silence', { deadline: Date.now() + 20 })).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED }))
