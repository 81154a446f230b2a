import { readFileSync } from 'node:fs'
import path from 'node:path'
import { findDependencyProblems } from '@keelson/tooling-run/bundle-dependencies'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readPublishedManifests, repositoryRoot } from './manifests.ts'

const order = [
  'name',
  'version',
  'description',
  'keywords',
  'homepage',
  'bugs',
  'license',
  'author',
  'repository',
  'bin',
  'files',
  'type',
  'sideEffects',
  'exports',
  'publishConfig',
  'scripts',
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'engines',
]
const optional = new Set(['bin', 'sideEffects', 'dependencies', 'devDependencies', 'peerDependencies', 'peerDependenciesMeta'])

const workspace = parse(readFileSync(path.join(repositoryRoot, 'pnpm-workspace.yaml'), 'utf8')) as {
  readonly catalog: Record<string, string>
}

describe('the manifest of every published package', () => {
  for (const { directory, manifest } of readPublishedManifests())
    test(`${directory}/package.json is complete`, () => {
      const keys = Object.keys(manifest)
      expect(keys).toEqual(order.filter((key) => keys.includes(key) || !optional.has(key)))
      expect(manifest).toMatchObject({
        keywords: expect.arrayContaining(['kubernetes']),
        homepage: `https://github.com/keelson/keelson/tree/main/${directory}#readme`,
        bugs: { url: 'https://github.com/keelson/keelson/issues' },
        license: 'Apache-2.0',
        repository: { type: 'git', url: 'git+https://github.com/keelson/keelson.git', directory },
        type: 'module',
        publishConfig: { access: 'public', provenance: true },
        scripts: { prepack: 'node ../../tooling/run/prepack.mjs' },
      })
      for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
        if (name.startsWith('@keelson/')) expect(range, name).toBe('workspace:^')
        else expect([name, range, workspace.catalog[name]]).toEqual([name, 'catalog:', expect.stringMatching(/^\^\d/)])
      }
      // Hono is a peer dependency. Its types are part of the public API, so an application must have only one copy of it.
      expect(manifest.dependencies ?? {}).not.toHaveProperty('hono')
      const takesHono = ['@keelson/http-installer', '@keelson/server'].some(
        (name) => name === manifest.name || name in (manifest.dependencies ?? {}),
      )
      expect(manifest.peerDependencies?.['hono']).toBe(takesHono ? '^4' : undefined)
    })
})

describe('imports of the bundle', () => {
  const createChunk = (...imports: string[]): Parameters<typeof findDependencyProblems>[0] => [
    { type: 'chunk', fileName: 'main.js', imports: ['node:fs', 'tls', 'chunks/a.js'], dynamicImports: ['lmdb'] },
    { type: 'chunk', fileName: 'chunks/a.js', imports, dynamicImports: [] },
  ]
  const dependencies = { lmdb: '^3', '@scope/one': '^1' }

  test('equal the dependencies of the manifest', () => {
    expect(findDependencyProblems(createChunk('@scope/one/deep'), dependencies)).toEqual([])
  })

  test('are reported if they are not in the manifest', () => {
    expect(findDependencyProblems(createChunk('@scope/one', 'left-pad'), dependencies)).toEqual([
      'the bundle imports left-pad, which is not a dependency',
    ])
  })

  test('dependencies without an import are reported', () => {
    expect(findDependencyProblems(createChunk(), dependencies)).toEqual(['the bundle does not import the dependency @scope/one'])
  })
})
