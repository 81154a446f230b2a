import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { forbidden } from '@keelson/admission'
import { afterEach, expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'
import type { AdmissionOptions } from './options/admission.ts'

const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const undo of cleanUp.splice(0).toReversed()) await undo()
})

async function serverWith(admission: AdmissionOptions): Promise<ServerChain> {
  const chain = await createServerChain({ controllers: ['none'], admission })
  cleanUp.push(() => chain.close())
  await chain.start()
  return chain
}

async function configFile(text: string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'keelson-admission-'))
  cleanUp.push(() => rm(directory, { recursive: true }))
  const file = path.join(directory, 'admission.yaml')
  await writeFile(file, text)
  return file
}

test('runs custom plugins along with the built-in ones', async () => {
  const chain = await serverWith({
    plugins: {
      NoSecretsHere: () => ({
        name: 'NoSecretsHere',
        operations: ['CREATE'],
        validate(attributes) {
          if (attributes.resource.resource === 'secrets') throw forbidden(attributes, 'no secrets here')
        },
      }),
    },
  })
  const create = (resource: string, namespace: string, name: string) =>
    chain.client.resource({ group: '', resource })!.create(namespace, { metadata: { name } })
  await create('namespaces', '', 'ns')
  await expect(create('secrets', 'ns', 'a')).rejects.toMatchObject({ code: 403, message: 'secrets "a" is forbidden: no secrets here' })
  await expect(create('configmaps', 'ns', 'a')).resolves.toBeDefined()
})

test('does not run a disabled plugin', async () => {
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const create = async (disable: string[]) => {
    const chain = await serverWith({ disable })
    await chain.client.resource({ group: '', resource: 'namespaces' })!.create('', { metadata: { name: 'ns' } })
    const created = await chain.client.resource({ group: '', resource: 'pods' })!.create('ns', structuredClone(pod))
    return created.object()
  }
  expect(await create(['ServiceAccount', 'DefaultTolerationSeconds'])).not.toHaveProperty('spec.tolerations')
  expect(await create(['ServiceAccount'])).toMatchObject({
    spec: { tolerations: [{ tolerationSeconds: 300 }, { tolerationSeconds: 300 }] },
  })
})

test.each([
  [{ enable: ['Nosuch'] }, 'enable-admission-plugins plugin "Nosuch" is unknown'],
  [{ enable: ['Priority'], disable: ['Priority'] }, '[Priority] in enable-admission-plugins and disable-admission-plugins overlapped'],
  [{ configFile: '/nowhere/at/all.yaml' }, 'unable to read admission control configuration from "/nowhere/at/all.yaml"'],
])('fails the start for invalid options: %j', async (admission, message) => {
  await expect(createServerChain({ admission })).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining(message),
  })
})

test('fails the start if a plugin cannot read its configuration', async () => {
  const file = await configFile(`{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, plugins: [
    {name: PodSecurity, configuration: {apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, defaults: {enforce: strict}}}]}`)
  await expect(createServerChain({ admission: { configFile: file } })).rejects.toMatchObject({
    name: 'ConfigurationError',
    message:
      'couldn\'t init admission plugin "PodSecurity": defaults.enforce: Invalid value: "strict": must be one of privileged, baseline, restricted',
  })
})
