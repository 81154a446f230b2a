import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { lowestNode } from '@keelson/tooling-run/find-node'
import { describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { repositoryRoot } from './manifests.ts'

interface Step {
  readonly uses?: string
  readonly run?: string
}
interface Workflow {
  readonly on: unknown
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}
interface Job {
  readonly 'runs-on': string
  readonly 'timeout-minutes': number
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: { readonly os: readonly string[]; readonly node: readonly string[] } }
  readonly steps: readonly Step[]
}

const read = (file: string): string => readFileSync(path.join(repositoryRoot, file), 'utf8')
const manifest = JSON.parse(read('package.json')) as { scripts: Record<string, string>; devDependencies: Record<string, string> }

function parseYaml(file: string): unknown {
  const document = parseDocument(read(file), { strict: true })
  expect([...document.errors, ...document.warnings], file).toEqual([])
  return document.toJS()
}

test('every YAML file of .github is valid', () => {
  const files = globSync('.github/**/*.yml', { cwd: repositoryRoot })
  expect(files.length).toBeGreaterThan(5)
  for (const file of files) expect(parseYaml(file)).toBeTypeOf('object')
})

describe.each(['test', 'release'])('the workflow %s', (name) => {
  const { on, permissions, jobs } = parseYaml(`.github/workflows/${name}.yml`) as Workflow

  test('has the required fields and explicit permissions', () => {
    expect(on).toBeDefined()
    expect(permissions).toEqual({ contents: 'read' })
    for (const job of Object.values(jobs)) {
      expect(job['runs-on']).toBeTypeOf('string')
      expect(job['timeout-minutes']).toBeGreaterThan(0)
      for (const { uses, run } of job.steps) {
        expect([uses, run].filter((value) => value !== undefined)).toHaveLength(1)
        if (uses !== undefined) expect(uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/)
      }
    }
  })

  test('runs scripts that exist', () => {
    const scripts = [...read(`.github/workflows/${name}.yml`).matchAll(/npm (?:run )?([\w:]+)/g)].map((match) => match[1]!)
    expect(scripts).not.toEqual([])
    for (const script of scripts) expect(manifest.scripts).toHaveProperty(script)
  })
})

test('tests run on the lowest Node and on 26, on three systems', () => {
  const { jobs } = parseYaml('.github/workflows/test.yml') as Workflow
  expect(jobs['packages']?.strategy?.matrix).toMatchObject({
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [lowestNode, '26'],
  })
})

test('a release is published with provenance', () => {
  const { jobs } = parseYaml('.github/workflows/release.yml') as Workflow
  expect(jobs['release']?.permissions).toMatchObject({ 'id-token': 'write' })
})

test('issue forms have at least one field', () => {
  for (const form of ['bug', 'feature'])
    expect(parseYaml(`.github/ISSUE_TEMPLATE/${form}.yml`)).toMatchObject({
      name: expect.any(String),
      description: expect.any(String),
      body: expect.arrayContaining([expect.objectContaining({ type: 'textarea' })]),
    })
})

test('.nvmrc has the Node version of the scripts, and the programs in launch.json exist', () => {
  expect(read('.nvmrc').trim()).toBe(manifest.devDependencies['node'])
  const { configurations } = JSON.parse(read('.vscode/launch.json')) as { configurations: { program: string }[] }
  for (const { program } of configurations) expect(() => read(program.replace('${workspaceFolder}/', ''))).not.toThrow()
})
