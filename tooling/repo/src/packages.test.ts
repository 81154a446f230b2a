import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { findNode, lowestNode } from '@keelson/tooling-run/find-node'
import { afterAll, describe, expect, test } from 'vitest'
import { repositoryRoot } from './manifests.ts'
import { packAll } from './pack.ts'
import { readmeExamples } from './readme-example.ts'

const run = promisify(execFile)
const scratch = mkdtempSync(path.join(os.tmpdir(), 'keelson-packages-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

execFileSync(path.join(repositoryRoot, 'node_modules/.bin/tsc'), ['-b', 'tsconfig.build.json'], { cwd: repositoryRoot, stdio: 'inherit' })
const packages = packAll(path.join(scratch, 'tarballs'))
const nodes = [findNode(lowestNode), process.execPath]

describe('every package, installed alone into an empty project', () => {
  for (const { name, directory, tarball, workspaceDependencies } of packages)
    test.concurrent(`${name}: its README's example runs on the lowest Node and on this one`, { timeout: 180_000 }, async () => {
      const project = path.join(scratch, 'projects', path.basename(directory))
      await mkdir(project, { recursive: true })
      const tarballOf = (wanted: string): string => `file:${packages.find((one) => one.name === wanted)?.tarball ?? ''}`
      writeFileSync(
        path.join(project, 'package.json'),
        JSON.stringify({
          type: 'module',
          dependencies: { [name]: `file:${tarball}` },
          // Not in any registry yet: its own dependencies come from the tarballs beside it.
          overrides: Object.fromEntries(workspaceDependencies.map((dependency) => [dependency, tarballOf(dependency)])),
        }),
      )
      await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], { cwd: project })
      const readme = readFileSync(path.join(repositoryRoot, directory, 'README.md'), 'utf8')
      const examples = readmeExamples(readme, [name, ...workspaceDependencies])
      if (directory === 'apps/apiserver') {
        for (const node of nodes) {
          const { stdout } = await run(node, [path.join(project, 'node_modules/@keelson/apiserver/dist/main.js'), '--help'], {
            cwd: project,
          })
          expect(stdout).toContain('--data-dir')
        }
        return
      }
      expect(examples, `${directory}/README.md has no ts example`).not.toEqual([])
      for (const example of examples) {
        writeFileSync(path.join(project, 'example.mjs'), stripTypeScriptTypes(example))
        for (const node of nodes) await run(node, ['example.mjs'], { cwd: project, timeout: 30_000 })
      }
    })

  test('no test, source or build state is packed', () => {
    for (const { name, tarball } of packages) {
      const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).split('\n')
      expect(
        files.filter((file) => /\.test\.|\/src\/|tsbuildinfo/.test(file)),
        name,
      ).toEqual([])
    }
  })
})
