import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findMissingPaths } from './document-paths.ts'
import { repositoryRoot } from './manifests.ts'

const documents = globSync(['*.md', 'docs/*.md', '{packages,apps,tooling}/*/*.md', '{packages,apps}/*/src/**/*.md'], {
  cwd: repositoryRoot,
})
  .filter((file) => !file.endsWith('CHANGELOG.md'))
  .toSorted()

test.each(documents)('every path in %s exists', (file) => {
  const markdown = readFileSync(path.join(repositoryRoot, file), 'utf8')
  const missing = findMissingPaths(markdown, path.dirname(file), repositoryRoot)
  expect(missing.map(({ line, path: name }) => `${file}:${line}: ${name}`)).toEqual([])
})

test.each([
  ['`packages/cel/src/no-such-file.ts`', 'packages/cel/src/no-such-file.ts'],
  ['`src/no-such-folder/`', 'src/no-such-folder/'],
  ['`cel/src/no-such-file.ts`', 'cel/src/no-such-file.ts'],
  ['`packages/cel/src/no-such-<part>.ts`', 'packages/cel/src/no-such-<part>.ts'],
  ['[link](no-such-document.md)', 'no-such-document.md'],
])('finds a planted missing path: %s', (markdown, name) => {
  expect(findMissingPaths(`# Title\n\nSee ${markdown}.\n`, 'packages/cel', repositoryRoot)).toEqual([{ line: 3, path: name }])
})

test.each([
  '`src/index.ts`',
  '`packages/{cel,api}/src/`',
  '`packages/resources/src/<group>/index.ts`',
  '`pods/exec`',
  '`apps/v1beta1`',
  '`@keelson/api`',
  '```\npackages/none/src/\n```',
  '[README](README.md#example)',
])('accepts %s', (markdown) => {
  expect(findMissingPaths(`${markdown}\n`, 'packages/cel', repositoryRoot)).toEqual([])
})
