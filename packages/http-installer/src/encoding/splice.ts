import type { StoredObject } from '@keelson/storagebackend'

export type SplicedBytes = Pick<StoredObject, 'body' | 'spliceAt' | 'revision'>

const resourceVersionKey = Buffer.from(',"resourceVersion":"')
const quote = 0x22

/** Returns the first bytes of an object's JSON, such as `{"kind":"Pod","apiVersion":"v1",`. */
export function encodeTypeHead(kind: string, apiVersion: string): Buffer {
  return Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`)
}
/** First bytes of the JSON of an object without kind and apiVersion. */
export const untypedHead: Buffer = Buffer.from('{')

/** Returns the number of bytes that `writeSpliced` writes. */
export function measureSpliced(head: Uint8Array, { body, revision }: SplicedBytes): number {
  return head.length + body.length - 1 + (revision > 0 ? resourceVersionKey.length + countDigits(revision) + 1 : 0)
}

/**
 * Writes `head`, the stored body and the resourceVersion to `target`, starting at offset `at`. Returns the offset of the end. `target` must
 * have room for `measureSpliced` bytes. Objects of a dry run have revision 0, for which no resourceVersion is written.
 */
export function writeSpliced(target: Uint8Array, at: number, head: Uint8Array, { body, spliceAt, revision }: SplicedBytes): number {
  target.set(head, at)
  at += head.length
  if (revision <= 0) {
    target.set(body.subarray(1), at)
    return at + body.length - 1
  }
  target.set(body.subarray(1, spliceAt), at)
  at += spliceAt - 1
  target.set(resourceVersionKey, at)
  at += resourceVersionKey.length
  at = writeNumber(target, at, revision)
  target[at++] = quote
  target.set(body.subarray(spliceAt), at)
  return at + body.length - spliceAt
}

function countDigits(value: number): number {
  let count = 1
  while (value >= 10) {
    value = Math.floor(value / 10)
    count++
  }
  return count
}

function writeNumber(target: Uint8Array, at: number, value: number): number {
  const end = at + countDigits(value)
  for (let i = end - 1; i >= at; i--) {
    const quotient = Math.floor(value / 10)
    target[i] = 0x30 + (value - quotient * 10)
    value = quotient
  }
  return end
}

/** Returns the complete JSON of an object, followed by `tail`. */
export function spliceObject(head: Uint8Array, object: SplicedBytes, tail?: Uint8Array): Buffer {
  const length = measureSpliced(head, object)
  const target = Buffer.allocUnsafe(length + (tail?.length ?? 0))
  writeSpliced(target, 0, head, object)
  if (tail !== undefined) target.set(tail, length)
  return target
}

/**
 * Pool of reusable buffers (slabs) of one size for responses. A buffer contains old bytes when it is taken. Its user owns it from `take`
 * until `release`. A buffer that is never released is garbage-collected.
 */
class SlabPool {
  readonly size: number
  readonly #capacity: number
  readonly #free: Buffer[] = []

  constructor(size: number, capacity: number) {
    this.size = size
    this.#capacity = capacity
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.size)
  }

  /** Returns a buffer to the pool. Call it only after the socket has written the bytes, because the next response overwrites them. */
  release(slab: Buffer): void {
    if (this.#free.length < this.#capacity) this.#free.push(slab)
  }
}

/** Buffers for responses with a single object. */
export const objectSlabs: SlabPool = new SlabPool(64 * 1024, 64)
/** Buffers for lists. Each buffer is one write to the socket, so larger buffers are cheaper, up to the size of the processor's cache. */
export const listSlabs: SlabPool = new SlabPool(256 * 1024, 32)
