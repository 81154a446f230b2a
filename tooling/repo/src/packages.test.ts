import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findNode, lowestNode } from '@keelson/tooling-run/find-node'
import { tool } from '@keelson/tooling-run/prepare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importAlone, installAlone, runWithNpx } from './install-alone.ts'
import { openLocalRegistry } from './local-registry.ts'
import type { LocalRegistry } from './local-registry.ts'
import { repositoryRoot } from './manifests.ts'
import { findContentProblems } from './package-contents.ts'
import { packAll } from './pack.ts'
import { extractExamples } from './readme-example.ts'

const run = promisify(execFile)
const scratch = mkdtempSync(path.join(os.tmpdir(), 'keelson-packages-'))
// Deleting some gigabytes can take minutes.
afterAll(() => rm(scratch, { recursive: true, force: true, maxRetries: 3 }), 180_000)

const packages = packAll(path.join(scratch, 'tarballs'))
const nodes = [findNode(lowestNode), process.execPath]

describe('each package, installed alone into an empty project', () => {
  let registry: LocalRegistry
  beforeAll(async () => {
    registry = await openLocalRegistry(packages)
  })
  afterAll(() => registry[Symbol.asyncDispose]())

  for (const packedPackage of packages) {
    const { name, directory, workspaceDependencies } = packedPackage
    if (directory.startsWith('apps/'))
      test.concurrent(`${name}: npx starts it on the lowest and the current Node`, { timeout: 180_000 }, async () => {
        const project = await installAlone(packedPackage, registry, path.join(scratch, 'projects', path.basename(directory)))
        for (const node of nodes) {
          expect(await runWithNpx(project, node, 'keelson', '--help')).toContain('--data-dir')
          expect(await runWithNpx(project, node, 'keelson', '--version')).toMatch(/v1\.36/)
        }
      })
    else
      test.concurrent(
        `${name}: its README's examples compile, and run on the lowest Node and on this one`,
        { timeout: 180_000 },
        async () => {
          const project = await installAlone(packedPackage, registry, path.join(scratch, 'projects', path.basename(directory)))
          for (const node of nodes) await importAlone(packedPackage, project, node)
          const readme = readFileSync(path.join(repositoryRoot, directory, 'README.md'), 'utf8')
          const examples = extractExamples(readme, [name, ...workspaceDependencies])
          expect(examples, `${directory}/README.md has no TypeScript example`).not.toEqual([])
          for (const [i, example] of examples.entries()) {
            writeFileSync(path.join(project, `example-${i}.ts`), example)
            writeFileSync(path.join(project, `example-${i}.mjs`), stripTypeScriptTypes(example))
          }
          expect(await findTypeErrors(project)).toBe('')
          for (const i of examples.keys())
            for (const node of nodes) await run(node, [`example-${i}.mjs`], { cwd: project, timeout: 30_000 })
        },
      )
  }
})

/** Compiles the examples of a project with strict settings, and returns the output of tsc. */
async function findTypeErrors(project: string): Promise<string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2023',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    typeRoots: [path.join(repositoryRoot, 'node_modules/@types')],
    skipLibCheck: true,
  }
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['example-*.ts'] }))
  return run(process.execPath, [tool('tsc'), '-p', project, '--pretty', 'false']).then(
    () => '',
    (error: { readonly stdout: string }) => error.stdout,
  )
}

describe('contents of a tarball', () => {
  for (const { name, directory, files } of packages)
    test(`${name}: contains only code, types, source maps and sources`, () => {
      expect(findContentProblems(files, path.join(repositoryRoot, directory))).toEqual([])
    })

  const cel = packages.find(({ name }) => name === '@keelson/cel')!
  const home = path.join(repositoryRoot, cel.directory)
  const without = (pattern: RegExp): ReadonlyMap<string, Buffer> => new Map([...cel.files].filter(([file]) => !pattern.test(file)))

  test('finds a missing entry point', () => {
    expect(findContentProblems(without(/^dist\//), home)).toContain('dist/index.js is missing or empty')
  })

  test('finds an empty file', () => {
    expect(findContentProblems(new Map([...cel.files, ['dist/index.js', Buffer.alloc(0)]]), home)).toEqual([
      'dist/index.js is missing or empty',
    ])
  })

  test('finds a source map without its source', () => {
    expect(findContentProblems(without(/^src\/index\.ts$/), home)).toEqual([
      'src/index.ts is missing or empty',
      'dist/index.d.ts.map points to src/index.ts, which is missing',
      'dist/index.js.map points to src/index.ts, which is missing',
    ])
  })

  test('finds tests and stale files', () => {
    const planted = new Map([...cel.files, ['src/a.test.ts', Buffer.from('x')], ['dist/old.js', Buffer.from('x')]])
    expect(findContentProblems(planted, home)).toEqual(['src/a.test.ts must not be published', 'dist/old.js must not be published'])
  })

  test('finds workspace ranges and devDependencies in a manifest', () => {
    const manifest = { ...cel.manifest, devDependencies: {}, dependencies: { '@keelson/apimachinery': 'workspace:^' } }
    const planted = new Map([...cel.files, ['package.json', Buffer.from(JSON.stringify(manifest))]])
    expect(findContentProblems(planted, home)).toEqual([
      '@keelson/apimachinery has the range workspace:^, which only works in the workspace',
      'package.json has devDependencies',
    ])
  })

  test('npm pack refuses to build a tarball', () => {
    const packed = spawnSync('npm', ['pack'], { cwd: home, encoding: 'utf8', shell: process.platform === 'win32' })
    expect(packed.status).not.toBe(0)
    expect(packed.stderr).toContain('cel was not packed: use npm run release')
    expect(readdirSync(home).filter((file) => file.endsWith('.tgz'))).toEqual([])
  })
})
