import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { loadAdmissionModule } from './load-admission-module.ts'

const directory = mkdtempSync(path.join(tmpdir(), 'keelson-modules-'))
afterAll(() => rmSync(directory, { recursive: true }))
const writeModule = (name: string, text: string): string => {
  writeFileSync(path.join(directory, name), text)
  return path.join(directory, name)
}

it('loads the default export of a file', async () => {
  const module = await loadAdmissionModule(
    writeModule('teams.mjs', 'export default { name: "Teams", after: "PodSecurity", resources: { pods: { validate() {} } } }'),
  )
  expect(module).toMatchObject({ name: 'Teams', after: 'PodSecurity', resources: { pods: { validate: expect.any(Function) } } })
})

it.each([
  ['missing', undefined, 'there is no such file'],
  ['broken.mjs', 'export default {', 'failed to load admission module'],
  ['throws.mjs', 'throw new Error("no license")', 'no license'],
  ['empty.mjs', '', 'it must have a default export with the members "name" and "resources"'],
  ['extra.mjs', 'export default { name: "A", resources: { pods: {} }, place: "first" }', 'unknown member "place"'],
  [
    'name.mjs',
    'export default { name: "a b", resources: { pods: {} } }',
    'name must consist of letters and digits and start with a letter',
  ],
  ['place.mjs', 'export default { name: "A", after: 1, resources: { pods: {} } }', 'after must be the name of a plugin'],
  [
    'places.mjs',
    'export default { name: "A", after: "B", before: "C", resources: { pods: {} } }',
    'only one of after and before can be set',
  ],
  ['none.mjs', 'export default { name: "A", resources: {} }', 'resources must be an object with at least one resource'],
  ['rules.mjs', 'export default { name: "A", resources: { pods: 1 } }', 'resources["pods"] must be an object'],
  [
    'phase.mjs',
    'export default { name: "A", resources: { pods: { mutate() {} } } }',
    'resources["pods"].mutate is none of admit, validate, validateDelete',
  ],
  ['rule.mjs', 'export default { name: "A", resources: { pods: { admit: true } } }', 'resources["pods"].admit must be a function'],
])('refuses %s', async (name, text, message) => {
  const at = text === undefined ? path.join(directory, name) : writeModule(name, text)
  await expect(loadAdmissionModule(at)).rejects.toMatchObject({
    name: 'AdmissionConfigurationError',
    message: expect.stringContaining(message),
  })
  await expect(loadAdmissionModule(at)).rejects.toThrow(`failed to load admission module ${JSON.stringify(at)}: `)
})
