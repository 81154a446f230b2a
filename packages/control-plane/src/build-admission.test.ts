import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { newForbiddenWrite } from '@keelson/admission'
import type { AdmissionModule } from '@keelson/admission'
import type { KubeObject } from '@keelson/apimachinery'
import { afterEach, expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChain } from './server-chain.ts'
import type { AdmissionOptions } from './options/admission.ts'

const cleanUpSteps: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const undo of cleanUpSteps.splice(0).toReversed()) await undo()
})

async function createChain(admission: AdmissionOptions): Promise<ServerChain> {
  const chain = await createServerChain({ controllers: ['none'], admission })
  cleanUpSteps.push(() => chain.close())
  await chain.start()
  return chain
}

async function writeConfigFile(text: string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'keelson-admission-'))
  cleanUpSteps.push(() => rm(directory, { recursive: true }))
  const file = path.join(directory, 'admission.yaml')
  await writeFile(file, text)
  return file
}

test('runs custom plugins along with the built-in ones', async () => {
  const chain = await createChain({
    plugins: {
      NoSecretsHere: () => ({
        name: 'NoSecretsHere',
        operations: ['CREATE'],
        validate(attributes) {
          if (attributes.resource.resource === 'secrets') throw newForbiddenWrite(attributes, 'no secrets here')
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

test('runs modules at the place that they name, and logs their errors', async () => {
  const calls: string[] = []
  const lines: string[] = []
  const createWatcher = (name: string, place: object): AdmissionModule => ({
    name,
    ...place,
    resources: {
      pods: {
        admit: ({ object }) => void calls.push(`${name}: ${object.spec?.tolerations?.length ?? 0} tolerations`),
        validateDelete() {
          throw new TypeError('a bug')
        },
      },
    },
  })
  const modules = [
    createWatcher('Late', { after: 'DefaultTolerationSeconds' }),
    createWatcher('Early', { before: 'DefaultTolerationSeconds' }),
  ]
  const chain = await createServerChain({
    controllers: ['none'],
    admission: { modules, disable: ['ServiceAccount'] },
    log: (_level, text, fields) => void lines.push(`${text} ${String(fields?.['module'])} ${String(fields?.['err'])}`),
  })
  cleanUpSteps.push(() => chain.close())
  await chain.start()
  await chain.client.resource({ group: '', resource: 'namespaces' })!.create('', { metadata: { name: 'ns' } })
  const pods = chain.client.resource({ group: '', resource: 'pods' })!
  await pods.create('ns', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } } as object as KubeObject)
  expect(calls).toEqual(['Early: 0 tolerations', 'Late: 2 tolerations'])
  const user = { name: 'me', groups: ['system:masters'] }
  const answer = await chain.fetch('/api/v1/namespaces/ns/pods/p', { method: 'DELETE', user })
  expect(await answer.json()).toMatchObject({ code: 500, message: 'Internal error occurred: admission module "Early" failed' })
  expect(lines.filter((line) => line.startsWith('Admission module failed'))).toEqual([
    expect.stringMatching(/^Admission module failed Early TypeError: a bug\n/),
  ])
})

test.each([
  [[{ name: 'A', after: 'Nothing', resources: { pods: {} } }], 'admission plugin "A" cannot run after "Nothing": there is no such plugin'],
  [[{ name: 'PodSecurity', resources: { pods: {} } }], 'admission plugin PodSecurity was registered twice'],
  [
    [{ name: 'A', resources: { pods: { mutate() {} } } }],
    'admission.modules[0]: resources["pods"].mutate is none of admit, validate, validateDelete',
  ],
])('refuses the modules %j', async (modules, message) => {
  await expect(createServerChain({ admission: { modules: modules as never } })).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining(message),
  })
})

test('does not run a disabled plugin', async () => {
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
  const create = async (disable: string[]) => {
    const chain = await createChain({ disable })
    await chain.client.resource({ group: '', resource: 'namespaces' })!.create('', { metadata: { name: 'ns' } })
    const created = await chain.client.resource({ group: '', resource: 'pods' })!.create('ns', structuredClone(pod))
    return created.getObject()
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
  const file = await writeConfigFile(`{apiVersion: apiserver.config.k8s.io/v1, kind: AdmissionConfiguration, plugins: [
    {name: PodSecurity, configuration: {apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, defaults: {enforce: strict}}}]}`)
  await expect(createServerChain({ admission: { configFile: file } })).rejects.toMatchObject({
    name: 'ConfigurationError',
    message:
      'couldn\'t init admission plugin "PodSecurity": defaults.enforce: Invalid value: "strict": must be one of privileged, baseline, restricted',
  })
})
