import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findSpreadArguments } from './spread-arguments.ts'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')

/** Spreads that are allowed, each with the reason why no request can make its list long. */
const bounded: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/ (\w*[eE]rrors|own|messages|problems)\.push$/, 'A validation ends after 1,000 errors (`collectFieldErrors`).'],
  [/^packages\/cel\//, 'An expression has at most 100,000 characters, and a call takes more arguments than it can list.'],
  [/^apps\/apiserver\//, 'Flags and files of the operator.'],
  [/^packages\/control-plane\//, 'Options of the operator, and parameters passed on.'],
  [/^packages\/server\/src\/certificates\//, 'The contents of a certificate of this server.'],
  [/^packages\/http-installer\/src\/connect\//, 'Parameters passed on.'],
  [/^packages\/auth\/src\/service-account-tokens\/.* authenticateFor$/, 'Parameters passed on.'],
  [/^packages\/storagebackend\/src\/record-/, 'Selectable fields of a kind.'],
  [/^packages\/resources\/src\/flowcontrol\/suggested\.ts|\/secrets\/validate\.ts/, 'Constants.'],
  [/\/managed-fields\/field-set\.ts.* createFieldSet$|\/name-format\.ts|\/evaluate-pod\.ts|\/to-openapi\.ts/, 'Constants.'],
  [/\/decode-context\.ts|\/ip-address\.ts/, 'Embedded types of a field, and bytes of an address.'],
  [
    /\/work-queue-metrics\.ts|\/resolve-outcome\.ts|\/lmdb-durability\.ts/,
    'Workers of a controller, responses to one transaction, and a fixed set of numbers.',
  ],
  [/\/pod-warnings\.ts.* warnings\.push$/, 'At most one warning each.'],
  [/\/ip-families\.ts/, 'Errors of two families.'],
]

function listSources(): string[] {
  const files: string[] = []
  for (const folder of ['packages', 'apps']) {
    for (const name of readdirSync(path.join(root, folder))) {
      for (const entry of readdirSync(path.join(root, folder, name, 'src'), { recursive: true, encoding: 'utf8' })) {
        if (entry.endsWith('.ts') && !/\.(?:test|test-d|fixture)\.ts$|(?:^|\/)(?:testing|generated)\//.test(entry)) {
          files.push(`${folder}/${name}/src/${entry}`)
        }
      }
    }
  }
  return files
}

const findUnbounded = (file: string, source: string): string[] =>
  findSpreadArguments(source)
    .map(({ line, callee, spread }) => ({ at: `${file}:${line} ${callee}`, spread }))
    .filter(({ at }) => !bounded.some(([pattern]) => pattern.test(at)))
    .map(({ at, spread }) => `${at}(...${spread})`)

describe('spread arguments', () => {
  it('are used for short lists only (use appendAll or a loop, or add an entry with a reason to this file)', () => {
    expect(listSources().flatMap((file) => findUnbounded(file, readFileSync(path.join(root, file), 'utf8')))).toEqual([])
  })

  it.each([
    ['list.push(...items)', 'list.push', 'items'],
    ['const a = Math.max(0, ...items.map((x) => [x, f(x)]), 1)', 'Math.max', 'items.map((x) => [x, f(x)])'],
    ['new Set([1]).add(...(a ?? b))', '.add', '(a ?? b)'],
  ])('are found in %s', (source, callee, spread) => {
    expect(findSpreadArguments(`// f(...no)\n${source}\n`)).toEqual([{ line: 2, callee: expect.stringContaining(callee), spread }])
    expect(findUnbounded('packages/planted/src/index.ts', source)).toHaveLength(1)
  })

  it.each([
    'const all = [...a, ...b]',
    'f({ ...a, b })',
    'f([...a])',
    'function f(...rest: string[]): void {}',
    'const f = (...rest: string[]): void => {}',
    'interface A { f(...rest: string[]): void }',
    "f('(...a)', `text`)",
    '/* f(...a) */',
  ])('are not found in %s', (source) => {
    expect(findSpreadArguments(source)).toEqual([])
  })
})
