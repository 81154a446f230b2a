import type { Volume } from '@keelson/api/core/v1'
import { fourfold, measureProcessorTime } from '@keelson/apimachinery/testing'
import { describe, expect, it } from 'vitest'
import { findOverlappingPathWarnings } from './overlapping-paths.ts'

function createConfigMapVolume(paths: readonly string[], name = 'v'): Volume {
  return { name, configMap: { name: 'm', items: paths.map((path) => ({ key: 'k', path })) } }
}

/** Returns the warnings about volumes without the prefix that all of them have. */
function findOverlaps(...volumes: Volume[]): string[] {
  return findOverlappingPathWarnings(volumes).map((text) => text.replace(/^.*overlapping paths: /, ''))
}

function createPaths(count: number, path: (i: number) => string): string[] {
  return Array.from({ length: count }, (_, i) => path(i))
}

describe('overlappingPathWarnings', () => {
  it('reports nested paths, ignoring trailing slashes', () => {
    expect(findOverlaps(createConfigMapVolume(['a/b', 'ab', 'a//', 'c', 'a/b/c', '//', '']))).toEqual([
      '"a" with "a/b"',
      '"a/b/c" with "a/b"',
      '"a/b/c" with "a"',
    ])
  })

  it('reports each overlap once', () => {
    expect(findOverlaps(createConfigMapVolume([...createPaths(500, () => 'a'), 'b/c', 'b', 'a']))).toEqual([
      '"a" with "a"',
      '"b" with "b/c"',
    ])
  })

  it('names the sources of a projected volume', () => {
    const createSecretSource = (name: string): object => ({ secret: { name, items: [{ key: 'k', path: 'a' }] } })
    expect(
      findOverlaps({ name: 'v', projected: { sources: [createSecretSource('s'), createSecretSource('s'), createSecretSource('t')] } }),
    ).toEqual(['"a" (Secret "s") with "a" (Secret "s")', '"a" (Secret "t") with "a" (Secret "s")'])
  })

  it('limits the number of warnings', () => {
    const deep = createPaths(10_000, (i) => `a${'/a'.repeat(i % 50)}`)
    expect(findOverlaps(createConfigMapVolume(deep), createConfigMapVolume(deep, 'w')).length).toBe(100)
  })

  it.each([
    ['many files', (n: number) => [createConfigMapVolume(createPaths(n, (i) => `p${i}`))]],
    ['the same file again and again', (n: number) => [createConfigMapVolume(createPaths(n, () => 'a'))]],
    ['slashes within', (n: number) => [createConfigMapVolume(['b', `a${'/'.repeat(20 * n)}b/`])]],
    [
      'many volumes',
      (n: number) =>
        Array.from({ length: n / 10 }, (_, i) =>
          createConfigMapVolume(
            createPaths(10, () => 'a'),
            `v${i}`,
          ),
        ),
    ],
  ])('takes subquadratic time for %s', async (_, make) => {
    const [few, many] = [make(5_000), make(20_000)]
    const small = await measureProcessorTime(() => findOverlappingPathWarnings(few))
    expect(await measureProcessorTime(() => findOverlappingPathWarnings(many))).toBeLessThan(fourfold * small)
  })
})
