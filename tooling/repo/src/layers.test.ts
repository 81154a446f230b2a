import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { tool } from '@keelson/tooling-run/prepare'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findUntaggedPackages } from './layer-tags.ts'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..')

let scratch: string
beforeEach(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'keelson-layers-'))
  cpSync(path.join(root, 'turbo.json'), path.join(scratch, 'turbo.json'))
  write('package.json', { name: 'planted', private: true, packageManager: 'pnpm@12.18.0' })
  writeFileSync(path.join(scratch, 'pnpm-workspace.yaml'), 'packages:\n  - packages/*\n')
  writeFileSync(path.join(scratch, 'pnpm-lock.yaml'), "lockfileVersion: '9.0'\n")
  addPackage('lower', 'layer:base', {})
  addPackage('upper', 'layer:registry', {})
  execFileSync('git', ['init', '-q'], { cwd: scratch })
})
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

function write(file: string, value: unknown): void {
  writeFileSync(path.join(scratch, file), typeof value === 'string' ? value : JSON.stringify(value))
}

function addPackage(name: string, tag: string | undefined, dependencies: Record<string, string>, source = 'export {}\n'): void {
  mkdirSync(path.join(scratch, 'packages', name, 'src'), { recursive: true })
  write(`packages/${name}/package.json`, {
    name: `@planted/${name}`,
    version: '0.0.0',
    type: 'module',
    exports: './src/index.ts',
    dependencies,
  })
  if (tag !== undefined) write(`packages/${name}/turbo.json`, { extends: ['//'], tags: [tag] })
  write(`packages/${name}/src/index.ts`, source)
  // The planted packages are found in node_modules, so link them there.
  for (const dependency of Object.keys(dependencies)) {
    const target = path.join(scratch, 'packages', name, 'node_modules', dependency)
    mkdirSync(path.dirname(target), { recursive: true })
    symlinkSync(path.join(scratch, 'packages', dependency.split('/')[1] ?? ''), target, 'junction')
  }
}

function checkBoundaries(): { status: number | null; output: string } {
  const result = spawnSync(process.execPath, [tool('turbo'), 'boundaries', '--no-color'], {
    cwd: scratch,
    encoding: 'utf8',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
  })
  return { status: result.status, output: result.stdout + result.stderr }
}

describe('layers', () => {
  test('an import from a lower layer passes', () => {
    addPackage('upper', 'layer:registry', { '@planted/lower': 'workspace:^' }, "import '@planted/lower'\n")
    expect(checkBoundaries()).toMatchObject({ status: 0 })
  })

  test('a dependency on a higher layer is found', () => {
    addPackage('lower', 'layer:base', { '@planted/upper': 'workspace:^' }, "import '@planted/upper'\n")
    const { status, output } = checkBoundaries()
    expect(status).not.toBe(0)
    expect(output).toContain('layer:')
  })

  test('a relative import of another package is found', () => {
    addPackage('lower', 'layer:base', {}, "import '../../upper/src/index.ts'\n")
    expect(checkBoundaries().status).not.toBe(0)
  })

  test('a package without a layer tag is found', () => {
    addPackage('stray', undefined, {})
    expect(findUntaggedPackages(scratch)).toEqual(['packages/stray: has 0 layer tags in turbo.json, must have one'])
  })

  test('an undefined tag is found', () => {
    addPackage('stray', 'layer:attic', {})
    expect(findUntaggedPackages(scratch)).toEqual(['packages/stray: the tag layer:attic is not defined in the root turbo.json'])
  })

  test('all packages of this repository have a tag', () => {
    expect(findUntaggedPackages(root)).toEqual([])
  })
})
