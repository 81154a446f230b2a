import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Walk } from './walk.ts'

const home = import.meta.dirname

function run(script: string, ...args: readonly string[]): Walk {
  return JSON.parse(execFileSync(process.execPath, [path.join(home, script), ...args], { encoding: 'utf8' })) as Walk
}

test('a walk lists functions in call order, calls between packages, and a call from the registry into an HTTP package', () => {
  const { functions, files, packages, crossings, upward } = run('planted-walk.fixture.ts')
  const handler = 'packages/http-installer/src/handle-update.ts'
  const update = 'packages/registry/src/update.ts'
  const helper = 'packages/apimachinery/src/when-known.ts'
  expect(functions.map(({ file, name }) => `${path.basename(file)} ${name}`)).toEqual([
    'handle-update.ts handleUpdate',
    'update.ts update',
    'update.ts read',
    'update.ts ',
    'when-known.ts runWhenKnown',
    'handle-update.ts ',
    'handle-update.ts decode',
  ])
  expect(files).toEqual([handler, update, helper])
  expect(packages).toEqual(['http-installer', 'registry', 'apimachinery'])
  expect(crossings).toEqual(['http-installer → registry', 'registry → apimachinery', 'apimachinery → http-installer'])
  expect(upward).toEqual([{ caller: { file: update, name: 'update', line: 5 }, callee: { file: handler, name: '', line: 4 } }])
})

test('a walk of a request goes from the server to the store, without background work', () => {
  const { functions, packages, upward } = run('main.ts', 'get', 'configmaps', '--json')
  for (const name of ['server', 'http-installer', 'registry', 'cacher', 'storagebackend', 'backend-embedded']) {
    expect(packages).toContain(name)
  }
  expect(functions.filter(({ file }) => file.includes('/cacher/src/feed'))).toEqual([])
  expect(upward).toEqual([])
})

test.each(['create', 'update', 'patch', 'apply', 'delete'])('%s: the registry and lower layers never call HTTP packages', (verb) => {
  const { upward } = run('main.ts', verb, 'configmaps', '--json')
  expect(upward.map(({ caller, callee }) => [caller.file, callee.file])).toEqual([])
})

test('a walk of a watch event goes from the store to the socket', () => {
  const { packages } = run('main.ts', 'watch', 'configmaps', '--json')
  expect(packages).toEqual(expect.arrayContaining(['http-installer', 'cacher', 'storagebackend', 'backend-embedded']))
  expect(packages).not.toContain('auth')
})
