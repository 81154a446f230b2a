import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPublishedManifests, repositoryRoot } from './manifests.ts'

/** Returns the packages of this repository that a README mentions, and the packages that the README lists as importable. */
function findNamedPackages(readme: string): { readonly packages: readonly string[]; readonly importable: readonly string[] } {
  const findNames = (text: string): string[] => [...new Set(text.match(/@keelson\/[a-z0-9-]+/g) ?? [])]
  const rule = /^## What it may import\n\n([\s\S]*?)(?=\n#|(?![\s\S]))|^It may import (.*(?:\n.+)*)/m.exec(readme)
  return { packages: findNames(readme), importable: findNames((rule?.[1] ?? rule?.[2] ?? '').split('```')[0]!) }
}

const published = readPublishedManifests()
const packageNames = new Set(published.map(({ manifest }) => manifest.name))

describe.each(published.map(({ directory, manifest }) => [directory, manifest] as const))('%s/README.md', (directory, manifest) => {
  const { packages, importable } = findNamedPackages(readFileSync(path.join(repositoryRoot, directory, 'README.md'), 'utf8'))

  test('names packages that exist', () => {
    expect(packages.filter((name) => !packageNames.has(name))).toEqual([])
  })

  test('lists only its dependencies as importable', () => {
    const dependencies = {
      ...manifest.devDependencies,
      ...manifest.dependencies,
      ...manifest.peerDependencies,
      ...manifest.optionalDependencies,
    }
    expect(importable.filter((name) => name !== manifest.name && dependencies[name] === undefined)).toEqual([])
  })
})

test('finds package names in a README', () => {
  const readme = '# One\n\nIt may import `@keelson/two` and\n`@keelson/three`.\n\nUsed by `@keelson/four`.\n'
  expect(findNamedPackages(readme)).toEqual({
    packages: ['@keelson/two', '@keelson/three', '@keelson/four'],
    importable: ['@keelson/two', '@keelson/three'],
  })
  expect(findNamedPackages('## What it may import\n\n`@keelson/two`.\n\n## Example\n\n`@keelson/four`\n').importable).toEqual([
    '@keelson/two',
  ])
})
