import { expect, test } from 'vitest'
import { countForwardedBytes } from './collect-buffers.ts'

const megabyte = 2 ** 20

test('the buffers of forwarded bytes are collected while they are forwarded', () => {
  const before = process.memoryUsage().arrayBuffers
  let peak = before
  for (let i = 0; i < 256; i++) {
    countForwardedBytes(Buffer.from(new ArrayBuffer(megabyte)).length)
    peak = Math.max(peak, process.memoryUsage().arrayBuffers)
  }
  expect(peak - before).toBeLessThan(16 * megabyte)
})
