import { randomFillSync } from 'node:crypto'
import type { Exchange } from '@keelson/exchange'

const batch = 128
const idLength = 36
const random = new Uint8Array(batch * 16)
const text = Buffer.alloc(batch * idLength)
/** Two hexadecimal digits for each byte value. */
const digits = Uint8Array.from(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join('')))
const hyphenBefore = new Set([4, 6, 8, 10])

let ids = ''
let nextId = 0

/** Sets the audit id of the request and returns it in the response. If the request has an audit id, it is kept. */
export function setAuditId(exchange: Exchange): void {
  exchange.requestId = exchange.getHeader('audit-id') || newAuditId()
  exchange.commonHeaders = ['Audit-Id', exchange.requestId]
}

/**
 * Returns a random UUID (version 4). Generates 128 at a time, because generating a single one costs more than the other headers of a
 * response.
 */
export function newAuditId(): string {
  if (nextId === ids.length) refill()
  return ids.slice(nextId, (nextId += idLength))
}

function refill(): void {
  randomFillSync(random)
  let at = 0
  for (let i = 0; i < random.length; i++) {
    const byteIndex = i & 15
    if (hyphenBefore.has(byteIndex)) text[at++] = 0x2d
    const byte = byteIndex === 6 ? (random[i]! & 0x0f) | 0x40 : byteIndex === 8 ? (random[i]! & 0x3f) | 0x80 : random[i]!
    text[at++] = digits[byte * 2]!
    text[at++] = digits[byte * 2 + 1]!
  }
  ids = text.toString('latin1')
  nextId = 0
}
