import { expect, test } from 'vitest'
import { SlabReader } from './entry-record.ts'

/** Creates a large buffer like the one LMDB uses for values. Its overridden `length` may be that of an earlier value. */
function createVolatileBuffer(text: string, length: number): Uint8Array {
  const buffer = Buffer.alloc(200_000)
  buffer.write(text)
  Object.defineProperty(buffer, 'length', { value: length, writable: true, configurable: true })
  return buffer
}

for (const length of [0, 5, 1_000_000])
  test(`reads the whole value if the buffer reports a length of ${length}`, () => {
    const reader = new SlabReader()
    expect(Buffer.from(reader.decode(createVolatileBuffer('hello', length), 5)).toString()).toBe('hello')
    expect(Buffer.from(reader.decode(createVolatileBuffer('second', length), 6)).toString()).toBe('second')
    const large = 'x'.repeat(100_000)
    expect(Buffer.from(reader.decode(createVolatileBuffer(large, length), large.length)).toString()).toBe(large)
  })
