import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createFrame, createNumbersFrame } from './frames.ts'
import { encodeHeaders } from './header-block.ts'
import {
  createData,
  createHeaders,
  createPayloadFrame,
  get,
  goAway,
  readStatus,
  repeat,
  startRawServer,
  type,
} from './raw-server.fixture.ts'

it('reads frames whatever their parts', async () => {
  await using server = await startRawServer((socket, stream) => {
    const padded = createPayloadFrame(type.data, 8, stream, '\x03pad\0\0\0')
    const unknown = createPayloadFrame(0xbe, 0, stream, 'unknown')
    const trailers = createPayloadFrame(type.headers, 5, stream, encodeHeaders(['x-trailer', '1']))
    const bytes = Buffer.concat([
      createHeaders(stream, 4, 'x-a', '1'),
      unknown,
      createData(stream, 0, 'one '),
      padded,
      createData(stream, 0, ' two'),
      trailers,
    ])
    for (const byte of bytes) socket.write(Buffer.from([byte]))
  })
  for (let i = 0; i < 2; i++) {
    const answer = await server.client.stream(get)
    expect([answer.status, answer.headers['x-a']]).toEqual([200, '1'])
    expect([await text(answer.body), answer.isComplete]).toEqual(['one pad two', true])
  }
})

it('sends a request again that the server has promised not to have processed', async () => {
  let count = 0
  await using server = await startRawServer((socket, stream) => {
    count++
    if (count === 1) socket.write(goAway(0))
    else socket.write(createHeaders(stream, 5))
  })
  expect(await readStatus(server.client, 'DELETE')).toBe(200)
  expect([count, server.connections()]).toEqual([2, 2])
})

it('finishes a response after a GOAWAY', async () => {
  await using server = await startRawServer((socket, stream) => {
    socket.write(Buffer.concat([createHeaders(stream, 4), goAway(stream), createData(stream, 1, 'late')]))
  })
  const answer = await server.client.stream(get)
  expect([await text(answer.body), answer.isComplete]).toEqual(['late', true])
  await expect.poll(() => server.received.includes(type.goAway)).toBe(true)
})

it.each<[string, (stream: number) => Buffer, string]>([
  ['fewer bytes than announced', (id) => Buffer.concat([createHeaders(id, 4, 'content-length', '5'), createData(id, 1, 'abcd')]), ''],
  ['more bytes than announced', (id) => Buffer.concat([createHeaders(id, 4, 'content-length', '3'), createData(id, 1, 'abcd')]), ''],
  ['a body before its headers', (id) => createData(id, 1, 'abcd'), 'http2: malformed response: a body before the headers'],
  [
    'two lengths',
    (id) => createHeaders(id, 5, 'content-length', '1', 'content-length', '2'),
    'http2: malformed response: invalid content-length',
  ],
  ['a name in capitals', (id) => createPayloadFrame(type.headers, 5, id, '\x88\0\x01A\x01b'), 'http2: malformed response: invalid headers'],
  ['a line break', (id) => createPayloadFrame(type.headers, 5, id, '\x88\0\x01a\x02\r\n'), 'http2: malformed response: invalid headers'],
  ['no status', (id) => createPayloadFrame(type.headers, 5, id, '\0\x01a\x01b'), 'http2: malformed response: no valid status'],
  ['a changed protocol', (id) => createHeaders(id, 4, ':status', '101'), 'http2: malformed response: invalid header :status'],
  [
    'a reset',
    (id) => createNumbersFrame({ type: type.resetStream, flags: 0, stream: id }, 2),
    'stream error: INTERNAL_ERROR; received from peer',
  ],
])('a stream with %s fails alone', async (_name, createAnswer, message) => {
  let isBroken = true
  await using server = await startRawServer((socket, stream) => {
    socket.write(isBroken ? createAnswer(stream) : createHeaders(stream, 5))
    isBroken = false
  })
  if (message === '') {
    const answer = await server.client.stream(get)
    await expect(text(answer.body)).rejects.toThrow('bytes than announced')
    expect(answer.isComplete).toBe(false)
  } else await expect(server.client.stream(get)).rejects.toThrow(message)
  expect(await readStatus(server.client)).toBe(200)
  expect(server.connections()).toBe(1)
})

it.each<[string, (stream: number) => Buffer, string]>([
  ['a frame that is too large', () => createFrame({ type: type.settings, flags: 0, stream: 0 }, 0, 16_385), 'a frame is too large'],
  ['a pushed response', (id) => createPayloadFrame(type.pushPromise, 4, id, '\0\0\0\x02'), 'a pushed response'],
  ['a frame of a stream that is not open', () => createHeaders(9, 5), 'a frame of no stream'],
  ['a broken header block', (id) => createPayloadFrame(type.headers, 5, id, '\xff\xff\xff\xff\xff\xff'), 'an integer is too large'],
  [
    'more bytes than its window',
    (id) => Buffer.concat([createHeaders(id, 4), repeat(createData(id, 0, 'x'.repeat(16_384)), 17)]),
    'the window of a stream',
  ],
  ['pings without end', () => repeat(createFrame({ type: type.ping, flags: 0, stream: 0 }, 8), 10_002), 'too many frames without content'],
  [
    'window updates of one byte without end',
    (id) => repeat(createNumbersFrame({ type: type.windowUpdate, flags: 0, stream: id }, 1), 10_002),
    'too many frames without content',
  ],
  [
    'empty data without end',
    (id) => Buffer.concat([createHeaders(id, 4), repeat(createData(id, 0, ''), 10_002)]),
    'too many frames without content',
  ],
  [
    'a header block without end',
    (id) =>
      Buffer.concat([
        createPayloadFrame(type.headers, 0, id, '\x88'),
        repeat(createPayloadFrame(type.continuation, 0, id, '\0\x01a\x05bbbbb'.repeat(1000)), 40),
      ]),
    'a header block is too large',
  ],
  [
    'a header block that is not continued',
    (id) => Buffer.concat([createPayloadFrame(type.headers, 0, id, '\x88'), createData(id, 1, 'x')]),
    'a header block is not continued',
  ],
])('%s ends the connection', async (_name, createAnswer, message) => {
  let isBroken = true
  await using server = await startRawServer((socket, stream) => {
    socket.write(isBroken ? createAnswer(stream) : createHeaders(stream, 5))
    isBroken = false
  })
  const read = async (): Promise<string> => {
    const answer = await server.client.stream(get)
    // Bytes beyond the window are those that nobody reads.
    await wait(100)
    return text(answer.body)
  }
  await expect(read()).rejects.toThrow(message)
  await expect.poll(() => server.received.includes(type.goAway)).toBe(true)
  expect(await readStatus(server.client)).toBe(200)
  expect(server.connections()).toBe(2)
})

it('sends no more of a body than the server allows', async () => {
  let allow = (): void => {}
  await using server = await startRawServer((socket, stream) => {
    allow = () => {
      for (const id of [0, stream]) socket.write(createNumbersFrame({ type: type.windowUpdate, flags: 0, stream: id }, 100_000))
      socket.write(createHeaders(stream, 5))
    }
  })
  const countData = (): number => server.received.filter((each) => each === type.data).length
  const answer = server.client.request({ method: 'POST', path: '/', body: Buffer.alloc(100_000), timeoutMs: 20_000 })
  // 65,535 bytes in frames of at most 16,384.
  await expect.poll(countData).toBeGreaterThanOrEqual(4)
  await wait(50)
  const before = countData()
  await wait(50)
  expect(countData()).toBe(before)
  allow()
  expect(await answer).toMatchObject({ failed: false, status: 200 })
})

it('sends the bytes that several window updates allow together', async () => {
  await using server = await startRawServer((socket, stream) => {
    const createUpdate = (id: number, bytes: number): Buffer => createNumbersFrame({ type: type.windowUpdate, flags: 0, stream: id }, bytes)
    setTimeout(
      () => socket.write(Buffer.concat([createUpdate(0, 100_000), repeat(createUpdate(stream, 1024), 100), createHeaders(stream, 5)])),
      100,
    )
  })
  const answer = server.client.request({ method: 'POST', path: '/', body: Buffer.alloc(165_535), timeoutMs: 20_000 })
  expect(await answer).toMatchObject({ failed: false, status: 200 })
  await expect.poll(() => server.received.filter((each) => each === type.data).length).toBeGreaterThan(5)
  await wait(50)
  expect(server.received.filter((each) => each === type.data).length).toBeLessThan(50)
})
