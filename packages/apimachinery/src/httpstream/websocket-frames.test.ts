import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  computeWebSocketAccept,
  WebSocketFrameReader,
  encodeWebSocketHead,
  encodeWebSocketMessage,
  websocketOpcode,
  WebSocketProtocolError,
} from './index.ts'

type Message = readonly [opcode: number, text: string]

function read(bytes: Buffer, cuts: readonly number[], masked: boolean): Message[] {
  const messages: Message[] = []
  let contents: Buffer[] = []
  const reader = new WebSocketFrameReader(
    {
      onMessage: (opcode, content, { first, last }) => {
        expect(first).toBe(contents.length === 0)
        contents.push(Buffer.from(content))
        if (!last) return
        messages.push([opcode, Buffer.concat(contents).toString('hex')])
        contents = []
      },
      onControl: (opcode, payload) => messages.push([opcode, payload.toString('hex')]),
    },
    { masked },
  )
  let at = 0
  for (const cut of [...cuts.map((share) => Math.floor(share * bytes.length)).toSorted((a, b) => a - b), bytes.length]) {
    reader.push(bytes.subarray(at, cut))
    at = cut
  }
  return messages
}

/** Builds a frame like a client: a header with the mask bit, a mask, and the masked payload. */
function encodeMasked(first: number, payload: Buffer, mask: Buffer): Buffer {
  const head = encodeWebSocketHead(first & 0x0f, payload.length)
  head[0] = first
  head[1]! |= 0x80
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ mask[i & 3]!)])
}

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })

test('reads messages from chunks of any size', () => {
  fc.assert(
    fc.property(fc.array(bytes), cuts, (payloads, at) => {
      const stream = Buffer.concat(payloads.map((payload) => encodeWebSocketMessage(websocketOpcode.binary, payload)))
      expect(read(stream, at, false)).toEqual(payloads.map((payload) => [websocketOpcode.binary, payload.toString('hex')]))
    }),
  )
})

test('joins masked fragments, with control frames in between', () => {
  const mask = fc.uint8Array({ minLength: 4, maxLength: 4 }).map((array) => Buffer.from(array))
  fc.assert(
    fc.property(fc.array(bytes, { minLength: 2, maxLength: 5 }), mask, cuts, (fragments, key, at) => {
      const ping = encodeMasked(0x89, Buffer.from('hi'), key)
      const frames = fragments.map((fragment, i) => {
        const fin = i === fragments.length - 1 ? 0x80 : 0
        return Buffer.concat([
          encodeMasked(fin | (i === 0 ? websocketOpcode.text : websocketOpcode.continuation), fragment, key),
          ...(fin ? [] : [ping]),
        ])
      })
      const pings: Message[] = fragments.slice(1).map(() => [websocketOpcode.ping, '6869'])
      expect(read(Buffer.concat(frames), at, true)).toEqual([...pings, [websocketOpcode.text, Buffer.concat(fragments).toString('hex')]])
    }),
  )
})

test('reads messages with extended lengths', () => {
  for (const size of [125, 126, 65_535, 65_536]) {
    expect(read(encodeWebSocketMessage(websocketOpcode.binary, Buffer.alloc(size)), [0.5], false)[0]![1]).toHaveLength(size * 2)
  }
})

test('rejects protocol violations', () => {
  const expectRefused = (...frame: number[]): void => expect(() => read(Buffer.from(frame), [], true)).toThrow(WebSocketProtocolError)
  expectRefused(0x82, 0x00) // not masked
  expectRefused(0xc2, 0x80, 0, 0, 0, 0) // reserved bits
  expectRefused(0x83, 0x80, 0, 0, 0, 0) // unknown opcode
  expectRefused(0x80, 0x80, 0, 0, 0, 0) // continuation without a message
  expectRefused(0x02, 0x80, 0, 0, 0, 0, 0x82, 0x80, 0, 0, 0, 0) // new message within a message
  expectRefused(0x09, 0x80, 0, 0, 0, 0) // fragmented control frame
  expectRefused(0x89, 0xfe, 0, 126, 0, 0, 0, 0) // long control frame
  expectRefused(0x82, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) // 64-bit length beyond safe integers
})

test('returns the accept key of the example in RFC 6455', () => {
  expect(computeWebSocketAccept('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
})
