import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it, vi } from 'vitest'
import { findInText, findRegularExpressions, listSourceFiles } from './collect.ts'
import { findSlowText } from './slowest-match.ts'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../..')

/** Patterns that take quadratic time, but only match short texts. Each has the reason why its texts are short. */
const bounded: Readonly<Record<string, string>> = {
  'packages/cel/src/declarations/signature.ts': 'reads only the declarations in this package',
}

/** Files that build patterns from parameters, each with the reason why these patterns take linear time. */
const parameterized: Readonly<Record<string, string>> = {
  'apps/apiserver/src/header-flags.ts': "the operator's own pattern, for headers of at most 64 KB",
  'packages/cel/src/regexp/escape.ts': 'checks whether a Unicode property exists, and matches nothing',
}

const files = listSourceFiles(root)
const patternsByFile = files.map((file) => ({ file, ...findRegularExpressions(root, file) }))

function describeComplaint(pattern: RegExp): string | undefined {
  const slow = findSlowText(pattern)
  if (slow === undefined) return undefined
  const { prefix, pump, ending, repeats } = slow
  return `${String(pattern)} is superlinear: ${JSON.stringify(prefix)} + ${JSON.stringify(pump)}.repeat(${repeats}) + ${JSON.stringify(ending)}`
}

it.each<[string, RegExp]>([
  ['exponential', /^(a+)+$/],
  ['exponential, in a search', /(a+)+$/],
  ['exponential, of alternatives', /^(?:a|[ab])+$/],
  ['exponential, before an optional part', /^(?:(a+)+b)?/],
  // A pattern that once parsed quantities.
  ['cubic', /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/],
  ['quadratic, of neighbours', /^\d*\.?\d+$/],
  ['quadratic, in a search', /0+$/],
  ['quadratic, in a replacement', /^\/+|\/+$/g],
  ['quadratic, of beginnings', /<!--.*-->/],
  ['quadratic, in an assertion', /(?=a+b)/],
  ['quadratic, in lines', /^ *#.*;$|[ \t]+$/m],
])('finds a pattern that is %s', (_, pattern) => {
  expect(describeComplaint(pattern)).toContain('is superlinear')
})

it.each([/^a*b*$/, /a+/, /^[a-z]([-a-z0-9]*[a-z0-9])?$/, /0+$/y, /^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\.)*[a-z]+$/, /\p{L}[^\s]*/u])(
  'lets %s pass',
  (pattern) => {
    expect(describeComplaint(pattern)).toBeUndefined()
  },
)

it('finds literals and constructors, and ignores division and comments', () => {
  const text = 'const a = 6 / 2 / 1 // no /x/\nconst b = "/y/".replace(/[/]"+/gu, "") as string\nconst c = new RegExp(b)\n'
  expect(findInText(text, 'a.ts')).toEqual({ literals: [{ file: 'a.ts', line: 2, pattern: /[/]"+/gu }], constructed: true })
  expect(findInText('const a = 1', 'a.ts')).toEqual({ literals: [], constructed: false })
})

it('all regular expression literals run in linear time', { timeout: 120_000 }, () => {
  expect(files.length).toBeGreaterThan(100)
  const complaints: string[] = []
  for (const { file, line, pattern } of patternsByFile.flatMap(({ literals }) => literals)) {
    if (bounded[file] !== undefined) continue
    const problem = describeComplaint(pattern)
    if (problem !== undefined) complaints.push(`${file}:${line}: ${problem}`)
  }
  expect(complaints).toEqual([])
})

it('all patterns constructed from strings run in linear time', { timeout: 60_000 }, async () => {
  const patterns: RegExp[] = []
  const Native = globalThis.RegExp
  const complaints: string[] = []
  for (const { file, constructed } of patternsByFile) {
    if (!constructed || parameterized[file] !== undefined) continue
    patterns.length = 0
    vi.resetModules()
    globalThis.RegExp = new Proxy(Native, {
      construct(target, args: [string, string?]) {
        const pattern = new target(...args)
        patterns.push(pattern)
        return pattern
      },
    })
    try {
      await import(/* @vite-ignore */ pathToFileURL(path.join(root, file)).href)
    } finally {
      globalThis.RegExp = Native
    }
    if (patterns.length === 0)
      complaints.push(`${file}: constructs a pattern after loading, so this test cannot check it; construct it when the module is loaded`)
    for (const pattern of patterns) {
      const problem = describeComplaint(pattern)
      if (problem !== undefined) complaints.push(`${file}: ${problem}`)
    }
  }
  expect(complaints).toEqual([])
})

it('every exception is needed', () => {
  for (const file of Object.keys(bounded)) {
    expect(patternsByFile.find((entry) => entry.file === file)?.literals.some(({ pattern }) => findSlowText(pattern) !== undefined)).toBe(
      true,
    )
  }
  for (const file of Object.keys(parameterized)) expect(patternsByFile.find((entry) => entry.file === file)?.constructed).toBe(true)
})
