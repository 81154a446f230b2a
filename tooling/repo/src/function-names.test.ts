import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { findFunctionNames } from './function-names.ts'
import { repositoryRoot } from './manifests.ts'

/** Functions that may have other names, each with the reason. */
const exceptions: readonly (readonly [pattern: RegExp, reason: string])[] = []

const files = globSync(['packages/*/{src,bench,test}/**/*.ts', 'apps/*/{src,test}/**/*.ts', 'tooling/*/{src,bench}/**/*.ts'], {
  cwd: repositoryRoot,
}).filter((file) => !file.includes('/generated/') && !file.startsWith('packages/api/src/'))

const allNames = files.flatMap((file) =>
  findFunctionNames(readFileSync(path.join(repositoryRoot, file), 'utf8')).map(
    ({ line, name, isExported }) => `${file}:${line}: ${name}${isExported ? ', exported' : ''}`,
  ),
)

it('names of functions start with a verb (rename the function, or add the verb to function-names.ts)', () => {
  expect(allNames.filter((name) => !exceptions.some(([pattern]) => pattern.test(name)))).toEqual([])
})

it('every exception is needed', () => {
  expect(exceptions.filter(([pattern]) => !allNames.some((name) => pattern.test(name)))).toEqual([])
})

it.each([
  ['function others(): void {}', 'others'],
  ['const conditionsStatus = () => 1', 'conditionsStatus'],
  ['export function createPod() { const newest = (at: number) => at }', 'newest'],
  ['function typeOf(value: unknown): string { return typeof value }', 'typeOf'],
  ['async function texts(): Promise<void> {}', 'texts'],
  ['const clientOf = function () {}', 'clientOf'],
])('finds a planted name: %s', (source, name) => {
  expect(findFunctionNames(`// comment\n${source}`)).toEqual([{ line: 2, name, isExported: false }])
})

it.each(['export function texts(): void {}', 'export async function texts() {}', 'export const texts = () => 1'])(
  'finds a planted name of an exported function: %s',
  (source) => {
    expect(findFunctionNames(source)).toEqual([{ line: 1, name: 'texts', isExported: true }])
  },
)

it.each([
  'function createPod() {}',
  'const isReady = () => true',
  'const texts = readTexts()',
  'export const texts = readTexts()',
  '// function texts() {}',
])('accepts: %s', (source) => {
  expect(findFunctionNames(source)).toEqual([])
})
