import { expect, it } from 'vitest'
import { coreV1 } from './generated/core/v1/index.ts'
import { codecRatios } from './testing/codec-ratios.ts'

/** The bars are 2× and 3×; `bench/codec.bench.ts` shows what is reached. Here, among other tests, twice that only catches a collapse. */
it('protobuf keeps up with native JSON on a pod of 3 KB', () => {
  const ratios = codecRatios(
    coreV1.kinds.find(({ gvk }) => gvk.kind === 'Pod')!,
    { rounds: 5, iterations: 2000 },
  )
  console.log(ratios.lines.join('\n'))
  expect(ratios.decode).toBeLessThan(4)
  expect(ratios.encode).toBeLessThan(6)
})
