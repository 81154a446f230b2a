import { constants, inflateSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  encodeSpdyControl,
  encodeSpdyDataHead,
  spdyDictionary,
  spdyFrame,
  SpdyFrameReader,
  SpdyHeaderWriter,
  encodeSpdySynStream,
} from './index.ts'

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))

test('reads frames from chunks of any size', () => {
  const frame = fc.oneof(
    fc.record({ stream: fc.integer({ min: 1, max: 2 ** 31 - 1 }), payload: bytes, fin: fc.boolean() }),
    fc.record({ type: fc.constantFrom(...Object.values(spdyFrame)), payload: bytes }),
  )
  fc.assert(
    fc.property(fc.array(frame), fc.integer({ min: 1, max: 50 }), (frames, size) => {
      const stream = Buffer.concat(
        frames.map((one) =>
          'type' in one
            ? encodeSpdyControl(one.type, 0, one.payload)
            : Buffer.concat([encodeSpdyDataHead(one.stream, one.payload.length, one.fin), one.payload]),
        ),
      )
      const seen: object[] = []
      let data = Buffer.alloc(0)
      const reader = new SpdyFrameReader({
        onData: (id, content, fin) => {
          data = Buffer.concat([data, content])
          if (fin) seen.push({ id })
        },
        onControl: (type, _flags, payload) => seen.push({ type, payload: payload.toString('hex') }),
      })
      for (let at = 0; at < stream.length; at += size) reader.push(stream.subarray(at, at + size))
      expect(data.equals(Buffer.concat(frames.flatMap((one) => ('type' in one ? [] : [one.payload]))))).toBe(true)
      expect(seen).toEqual(
        frames.flatMap((one): object[] => {
          if ('type' in one) return [{ type: one.type, payload: one.payload.toString('hex') }]
          return one.fin ? [{ id: one.stream }] : []
        }),
      )
    }),
  )
})

test('rejects an endless control frame', () => {
  const head = Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff])
  expect(() => new SpdyFrameReader({ onData() {}, onControl() {} }).push(head)).toThrow(RangeError)
})

test("writes headers as one zlib stream with the protocol's dictionary", () => {
  const writer = new SpdyHeaderWriter()
  const blocks = [writer.encode({ streamtype: 'error' }), writer.encode({ streamtype: 'data', port: '80' })]
  const plain = inflateSync(Buffer.concat(blocks), { dictionary: spdyDictionary, finishFlush: constants.Z_SYNC_FLUSH })
  expect(plain.toString('latin1')).toBe(
    '\0\0\0\x01\0\0\0\x0astreamtype\0\0\0\x05error\0\0\0\x02\0\0\0\x0astreamtype\0\0\0\x04data\0\0\0\x04port\0\0\0\x0280',
  )
  expect(() => writer.encode({ long: 'x'.repeat(70_000) })).toThrow(RangeError)
})

test('ends each header block with a zlib flush, because some decoders wait for it', () => {
  const block = new SpdyHeaderWriter().encode({ streamtype: 'error' })
  expect(block.subarray(-5)).toEqual(Buffer.from([0, 0, 0, 0xff, 0xff]))
  expect(encodeSpdySynStream(1, block).subarray(0, 12)).toEqual(Buffer.from([0x80, 3, 0, 1, 0, 0, 0, block.length + 10, 0, 0, 0, 1]))
})
