import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findNode, lowestNode, typeScriptEnvironment } from '@keelson/tooling-run/find-node'
import { afterAll, expect, test } from 'vitest'
import { readPublishedManifests, repositoryRoot } from './manifests.ts'

const run = promisify(execFile)
const scratch = mkdtempSync(path.join(os.tmpdir(), 'keelson-lowest-node-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const fetching = { timeout: 180_000 }

test('every published package requires the lowest supported Node', () => {
  const promised = `>=${lowestNode.split('.').slice(0, 2).join('.')}`
  for (const { manifest } of readPublishedManifests()) expect(manifest.engines, manifest.name).toEqual({ node: promised })
})

for (const version of ['18.20.8', '20.19.0', '22.11.0'])
  test(`the program on Node ${version} prints the required version`, fetching, () => {
    const node = findNode(version)
    const result = spawnSync(node, [path.join(repositoryRoot, 'apps/apiserver/dist/main.js'), '--version'], { encoding: 'utf8' })
    expect(result).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `keelson: needs Node 22.12 or newer; this is Node ${version}, ${node}\n`,
    })
  })

test('the program starts on the lowest Node', fetching, async () => {
  const { stdout } = await run(findNode(lowestNode), [path.join(repositoryRoot, 'apps/apiserver/dist/main.js'), '--help'])
  expect(stdout).toContain('--data-dir')
})

const child = fileURLToPath(new URL('store-child.ts', import.meta.url))
const runServer = async (node: string, version: string, dataDir: string, name: string): Promise<readonly string[]> => {
  const { stdout } = await run(node, [child, dataDir, name], { env: { ...process.env, ...typeScriptEnvironment(version) } })
  return JSON.parse(stdout) as string[]
}

test("the lowest Node and the current Node read each other's stores", fetching, async () => {
  const lowest = { node: findNode(lowestNode), version: lowestNode }
  const current = { node: process.execPath, version: process.versions.node }
  const listWritten = (name: string): string[] =>
    [0, 1, 20_000, 200_000, 500].map((size) => `/${name}/${size} ${size} ${name.repeat(8).slice(0, Math.min(size, 8))}`)
  for (const [first, second] of [
    [lowest, current],
    [current, lowest],
  ] as const) {
    const dataDir = mkdtempSync(path.join(scratch, 'store-'))
    expect(await runServer(first.node, first.version, dataDir, 'a')).toEqual([])
    expect(await runServer(second.node, second.version, dataDir, 'b')).toEqual([...listWritten('a'), '/last 1 a'])
    expect(await runServer(first.node, first.version, dataDir, 'c')).toEqual([...listWritten('a'), ...listWritten('b'), '/last 1 b'])
  }
})

test('findNode returns a Node of the requested version', fetching, async () => {
  const { stdout } = await run(findNode(lowestNode), ['--version'])
  expect(stdout.trim()).toBe(`v${lowestNode}`)
})

test('findNode rejects an invalid version', () => {
  expect(() => findNode('latest')).toThrow('"latest" is not a version of Node; examples: 22.12, 24')
  expect(readFileSync(path.join(repositoryRoot, '.ci/run'), 'utf8')).toContain('npm test -- --node=lowest packages/ apps/')
})
