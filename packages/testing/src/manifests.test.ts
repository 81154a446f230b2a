import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readManifests, sortForApply } from './manifests.ts'
import type { Manifests } from './manifests.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'keelson-manifests-'))
  await mkdir(path.join(folder, 'deep'))
  await writeFile(path.join(folder, 'b.yaml'), map('b'))
  await writeFile(path.join(folder, 'a.json'), JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }))
  await writeFile(path.join(folder, 'deep', 'c.yml'), `# first\n---\n${map('c')}--- # second\n${map('d')}---\n`)
  await writeFile(path.join(folder, 'README.md'), '# not a manifest')
})
afterAll(() => rm(folder, { recursive: true }))

const map = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`
const readNames = async (manifests: Manifests): Promise<readonly unknown[]> =>
  (await readManifests(manifests)).map(({ metadata }) => metadata.name)

test('reads objects, texts, files, folders, patterns and lists of them', async () => {
  expect(await readNames({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'o' } })).toEqual(['o'])
  expect(await readNames(`${map('x')}---\n${map('w')}`)).toEqual(['x', 'w'])
  expect(await readNames(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'j' } }))).toEqual(['j'])
  expect(await readNames(path.join(folder, 'b.yaml'))).toEqual(['b'])
  expect(await readNames(folder)).toEqual(['a', 'b', 'c', 'd'])
  expect(await readNames(path.join(folder, '*.yaml'))).toEqual(['b'])
  expect(await readNames([path.join(folder, '**/*.yml'), map('z')])).toEqual(['c', 'd', 'z'])
})

test('expands lists', async () => {
  const items = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'i' } }]
  expect(await readNames({ apiVersion: 'v1', kind: 'List', items })).toEqual(['i'])
})

test('names the source of an invalid manifest', async () => {
  await expect(readManifests(path.join(folder, 'missing.yaml'))).rejects.toThrow('missing.yaml: there is no such file')
  await expect(readManifests(`${map('x')}---\na: [`)).rejects.toThrow('the text: document 2: ')
  await expect(readManifests('kind: ConfigMap\nmetadata: { name: a }\n')).rejects.toThrow('apiVersion and kind must be set')
  await expect(readManifests('apiVersion: v1\nkind: ConfigMap\n')).rejects.toThrow('ConfigMap: metadata.name must be set')
})

test('sorts definitions and namespaces first, and keeps the order of other objects', () => {
  const sorted = sortForApply(
    ['Widget', 'Pod', 'Namespace', 'ConfigMap', 'CustomResourceDefinition'].map((kind) => ({
      apiVersion: 'v1',
      kind,
      metadata: { name: kind },
    })),
  )
  expect(sorted.map(({ kind }) => kind)).toEqual(['CustomResourceDefinition', 'Namespace', 'Widget', 'Pod', 'ConfigMap'])
})
