import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readAdmissionConfiguration } from './read-admission-configuration.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-admission-'))
})
afterEach(() => rm(directory, { recursive: true }))

const writeConfiguration = async (text: string, name = 'admission.yaml'): Promise<string> => {
  await writeFile(path.join(directory, name), text)
  return path.join(directory, name)
}
const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n'

it("reads each plugin's configuration inline or from another file, and uses the first entry of a name", async () => {
  await writeConfiguration('kind: EventRateLimit', 'limits.yaml')
  const plugins = `plugins:
- name: PodSecurity
  configuration: {defaults: {enforce: baseline}}
- name: EventRateLimit
  path: limits.yaml
- name: PodSecurity
  configuration: {}
- name: Priority
`
  const configuration = await readAdmissionConfiguration(await writeConfiguration(head + plugins))
  expect([...configuration]).toEqual([
    ['PodSecurity', { defaults: { enforce: 'baseline' } }],
    ['EventRateLimit', { kind: 'EventRateLimit' }],
  ])
})

it.each([
  ['', 'it is a "" of "", not an AdmissionConfiguration'],
  ['kind: Pod\napiVersion: v1', 'it is a "Pod" of "v1"'],
  [`${head}plugin: []`, 'strict decoding error: unknown field "plugin"'],
  [`${head}plugins: {}`, 'plugins must be a list'],
  [`${head}plugins: [{name: 1}]`, 'plugins[0].name must be a string'],
  [`${head}plugins: [{title: a}]`, 'unknown field "plugins[0].title"'],
  [`${head}plugins: [a]`, 'plugins[0] must be an object'],
  [`${head}plugins: [{name: a, path: nowhere.yaml}]`, 'nowhere.yaml" [no such file or directory]'],
  ['a: b: c', 'failed to read plugin config'],
])('explains the error in %j', async (text, message) => {
  await expect(readAdmissionConfiguration(await writeConfiguration(text))).rejects.toMatchObject({
    name: 'AdmissionConfigurationError',
    message: expect.stringContaining(message),
  })
})
