import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryRoot } from './manifests.ts'
import { checkMarkdown, checkSource } from './plain-english.ts'

/** Folders whose comments, test titles and READMEs are checked. Add a folder when the rules find nothing in it. */
const folders: readonly string[] = [
  'apps/apiserver',
  'packages/admission',
  'packages/api',
  'packages/apiextensions',
  'packages/apimachinery',
  'packages/auth',
  'packages/backend-embedded',
  'packages/backend-etcd3',
  'packages/cacher',
  'packages/cel',
  'packages/control-plane',
  'packages/controllers',
  'packages/core-services',
  'packages/encryption',
  'packages/exchange',
  'packages/flowcontrol',
  'packages/http-installer',
  'packages/loopback',
  'packages/outbound',
  'packages/registry',
  'packages/resources',
  'packages/resources-core',
  'packages/server',
  'packages/storagebackend',
  'packages/testing',
  'tooling/bench',
  'tooling/codegen',
  'tooling/compare',
  'tooling/e2e',
  'tooling/faults',
  'tooling/soak',
  'tooling/walk',
]

describe.each(folders)('%s', (folder) => {
  test('uses the usual words in comments, test titles and the README', () => {
    const files = globSync(['{src,bench,test}/**/*.ts', '*.md'], { cwd: path.join(repositoryRoot, folder) }).filter(
      (file) => !file.includes('generated'),
    )
    expect(files).toContain('README.md')
    const findings = files.flatMap((file) => {
      const source = readFileSync(path.join(repositoryRoot, folder, file), 'utf8')
      const matches = file.endsWith('.md') ? checkMarkdown(source) : checkSource(source)
      return matches.map(({ line, phrase, advice }) => `${folder}/${file}:${line}: "${phrase}": ${advice}`)
    })
    expect(findings).toEqual([])
  })
})

/** Phrases that must be found, with the reported part. */
const planted: readonly (readonly [comment: string, phrase: string])[] = [
  ['What an earlier write made one of.', 'What an earlier write made one of.'],
  ['Reads it. Whom it stands for, by name.', 'Whom it stands for, by name.'],
  ['Text as the original writes it.', 'the original'],
  ["The original's words.", "The original's"],
  ['A list made anew.', 'anew'],
  ['The first refusal is told.', 'is told'],
  ['Whoever asks.', 'Whoever'],
  ['Nothing but for these.', 'Nothing but for'],
  ['Lies beside the file.', 'beside'],
  ['A hundred at the most.', 'at the most'],
  ['Why it failed.', 'Why it failed.'],
  ['Counts steps. How often it ran.', 'How often it ran.'],
  ['Told of each case.', 'Told of each case'],
  ['Asked after the others.', 'Asked after the others'],
  ['Of several causes the first counts.', 'Of several causes the first counts'],
  ['Compares ours with kube-apiserver.', 'ours'],
  ['The watch goes on.', 'goes on'],
  ['Reads a name, be it in a list or not.', 'be it'],
  ['Tries again and again.', 'again and again'],
  ['Returns what is left.', 'what is left'],
  ['A proxy is taken for a client.', 'taken for a'],
  ['Mends the counters.', 'Mends'],
]

const findPhrases = (source: string): string[] => checkSource(source).map(({ phrase }) => phrase)

test.each(planted)('finds a planted phrase: %s', (comment, phrase) => {
  expect(findPhrases(`/** ${comment} */`)).toEqual([phrase])
  expect(findPhrases(`f() // ${comment}`)).toEqual([phrase])
})

test('finds phrases across lines', () => {
  expect(findPhrases(['/**', ' * Text as the', ' * original writes it.', ' */'].join('\n'))).toEqual(['the original'])
})

test.each(['who may not is refused', 'what was sent stays: %j'])('finds a planted title: %s', (title) => {
  expect(findPhrases(`it('${title}', () => {`)).toEqual([title])
  expect(findPhrases(`])('${title}', async (x) => {`)).toEqual([title])
})

test.each([
  'Restores the original object.',
  'Returns what changed.',
  'What if the watch is behind? Then it lists again.',
  'Formats "the original" in quotes, and `anew` as code.',
  'A message told apart by its type.',
  'Where the cache is empty, lists again.',
  'How does it end? It never does.',
  'Finds Go on PATH.',
])('accepts plain English: %s', (comment) => {
  expect(findPhrases(`/** ${comment} */`)).toEqual([])
})

test('checks only comments and titles of code', () => {
  expect(findPhrases("const title = 'What an earlier write made one of.'")).toEqual([])
  expect(findPhrases("it('rejects a token whose owner is unknown', () => {")).toEqual([])
})

test('checks Markdown without code', () => {
  const markdown = '# What it is\n\n- Who asks\n  is answered.\n\n```ts\n// anew\n```\n'
  expect(checkMarkdown(markdown).map(({ line, phrase }) => [line, phrase])).toEqual([[3, 'Who asks is answered.']])
})
