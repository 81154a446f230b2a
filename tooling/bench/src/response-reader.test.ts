import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ResponseReader } from './response-reader.ts'

const body = fc.string({ maxLength: 40 })
const response = fc.record({
  status: fc.constantFrom(200, 201, 409),
  chunks: fc.array(
    body.filter((b) => b !== ''),
    { maxLength: 4 },
  ),
  chunked: fc.boolean(),
})

test('finds the end of every response, however the bytes are split into chunks', () => {
  fc.assert(
    fc.property(fc.array(response, { maxLength: 6 }), fc.infiniteStream(fc.integer({ min: 1, max: 50 })), (responses, cuts) => {
      const wire = Buffer.from(
        responses
          .map(({ status, chunks, chunked }) => {
            const whole = chunks.join('')
            if (!chunked) return `HTTP/1.1 ${status} OK\r\nContent-Length: ${Buffer.byteLength(whole)}\r\n\r\n${whole}`
            const pieces = chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`)
            return `HTTP/1.1 ${status} OK\r\ntransfer-encoding: chunked\r\n\r\n${pieces.join('')}0\r\n\r\n`
          })
          .join(''),
      )
      const statuses: number[] = []
      const read: Buffer[] = []
      const reader = new ResponseReader(
        (status) => statuses.push(status),
        (piece) => read.push(Buffer.from(piece)),
      )
      for (let at = 0; at < wire.length;) {
        const size = cuts.next().value!
        reader.push(wire.subarray(at, at + size))
        at += size
      }
      expect(statuses).toEqual(responses.map((r) => r.status))
      expect(Buffer.concat(read).toString()).toBe(responses.flatMap((r) => r.chunks).join(''))
    }),
  )
})
