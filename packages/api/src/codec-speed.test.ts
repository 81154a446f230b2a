import { expect, it } from 'vitest'
import { coreV1 } from './generated/core/v1/index.ts'
import { measureCodecRatios } from './testing/codec-ratios.ts'
import type { CodecRatios } from './testing/codec-ratios.ts'

const maxDecode = 4
const maxEncode = 6

/**
 * Detects a large regression of the codec. The goals are 2× and 3× the time of JSON, which `bench/codec.bench.ts` measures. This test allows
 * twice as much.
 */
it('protobuf keeps up with native JSON on a pod of 3 KB', () => {
  const pod = coreV1.kinds.find(({ gvk }) => gvk.kind === 'Pod')!
  let ratios = measureCodecRatios(pod, { rounds: 5, iterations: 2000 })
  // On a busy machine, the JIT compiler can be late. The best of several tries therefore counts.
  for (let tries = 1; tries < 10 && !isFast(ratios); tries++) ratios = measureCodecRatios(pod, { rounds: 5, iterations: 2000 })
  console.log(ratios.lines.join('\n'))
  expect(ratios.decode).toBeLessThan(maxDecode)
  expect(ratios.encode).toBeLessThan(maxEncode)
})

function isFast({ decode, encode }: CodecRatios): boolean {
  return decode < maxDecode && encode < maxEncode
}
