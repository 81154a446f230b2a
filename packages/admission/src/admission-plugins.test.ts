import { createConstantAuthorizer } from '@keelson/auth'
import { createLoopbackClient, createSharedInformers } from '@keelson/loopback'
import { expect, it } from 'vitest'
import type { AdmissionPlugin } from './admission.ts'
import { AdmissionPlugins } from './admission-plugins.ts'
import { createBuiltinPlugins } from './builtin-plugins.ts'
import { writeKubeconfig } from './image-policy-webhook/kubeconfig.fixture.ts'
import { allOrderedPlugins, defaultOffPlugins } from './plugin-order.ts'

const client = createLoopbackClient()
const authorizer = createConstantAuthorizer({ decision: 'allow', reason: '' })
const dependencies = { client, informers: createSharedInformers(client), authorizer }
const createFactory = (name: string) => (): AdmissionPlugin => ({ name })
const createRegistry = (...names: string[]): AdmissionPlugins => {
  const plugins = new AdmissionPlugins()
  for (const name of names) plugins.register(name, createFactory(name))
  return plugins
}
const listNames = (plugins: readonly AdmissionPlugin[]): string[] => plugins.map(({ name }) => name)

it("runs plugins in kube-apiserver's order, and custom ones before policies and webhooks", async () => {
  const plugins = createRegistry('ResourceQuota', 'OurOwn', 'LimitRanger', 'MutatingAdmissionWebhook', 'NamespaceLifecycle')
  const order = ['NamespaceLifecycle', 'LimitRanger', 'OurOwn', 'MutatingAdmissionWebhook', 'ResourceQuota']
  expect(listNames(await plugins.create(dependencies))).toEqual(order)
})

it('runs custom plugins at the place that they name, in the order of registration', async () => {
  const plugins = createRegistry('PodSecurity', 'Priority', 'ResourceQuota')
  plugins.register('Last', createFactory('Last'), { after: 'AlwaysDeny' })
  plugins.register('Nested', createFactory('Nested'), { after: 'Second' })
  plugins.register('First', createFactory('First'), { after: 'PodSecurity' })
  plugins.register('Second', createFactory('Second'), { after: 'PodSecurity' })
  plugins.register('Early', createFactory('Early'), { before: 'PodSecurity' })
  plugins.register('BeforeQuota', createFactory('BeforeQuota'), { before: 'ResourceQuota' })
  const order = ['Early', 'PodSecurity', 'First', 'Second', 'Nested', 'Priority', 'BeforeQuota', 'ResourceQuota', 'Last']
  expect(listNames(await plugins.create(dependencies))).toEqual(order)
  expect(listNames(await plugins.create(dependencies, { disable: ['Second'] }))).toEqual(order.filter((name) => name !== 'Second'))
})

it('reports places that do not exist', () => {
  const plugins = createRegistry('PodSecurity')
  plugins.register('A', createFactory('A'), { after: 'Nothing' })
  plugins.register('B', createFactory('B'), { before: 'A' })
  expect(plugins.problems({})).toEqual([
    'admission plugin "A" cannot run after "Nothing": there is no such plugin',
    'admission plugin "B" cannot run before "A": there is no such plugin',
  ])
})

it('enables plugins that are off by default, and disables those that are on', async () => {
  const plugins = createRegistry('NamespaceLifecycle', 'AlwaysPullImages', 'PodSecurity')
  expect(listNames(await plugins.create(dependencies))).toEqual(['NamespaceLifecycle', 'PodSecurity'])
  expect(listNames(await plugins.create(dependencies, { enable: ['AlwaysPullImages'], disable: ['PodSecurity'] }))).toEqual([
    'NamespaceLifecycle',
    'AlwaysPullImages',
  ])
})

it('reports every unavailable plugin', async () => {
  const plugins = createBuiltinPlugins()
  const create = (enable: string[], disable: string[] = []) => plugins.create(dependencies, { enable, disable })
  await expect(create(['Nosuch'], ['Neither'])).rejects.toThrow(
    'enable-admission-plugins plugin "Nosuch" is unknown, disable-admission-plugins plugin "Neither" is unknown',
  )
  const few = new AdmissionPlugins()
  await expect(few.create(dependencies, { enable: ['Priority'] })).rejects.toThrow(
    'enable-admission-plugins plugin "Priority" is not available in this server',
  )
  await expect(create(['JobValidation'], ['MutatingAdmissionPolicy'])).resolves.toBeDefined()
  await expect(create(['Priority', 'LimitRanger'], ['LimitRanger', 'Priority'])).rejects.toThrow(
    '[LimitRanger Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
  )
  expect(() => plugins.register('NamespaceLifecycle', createFactory('x'))).toThrow('registered twice')
})

it('passes a plugin its configuration, and names the plugin if the configuration is invalid', async () => {
  const plugins = new AdmissionPlugins()
  plugins.register('Picky', (_dependencies, configuration) => {
    if (configuration !== 'fine') throw new Error('not fine')
    return { name: 'Picky' }
  })
  const create = (value: string) => plugins.create(dependencies, { configuration: new Map([['Picky', value]]) })
  expect(listNames(await create('fine'))).toEqual(['Picky'])
  await expect(create('poor')).rejects.toThrow('couldn\'t init admission plugin "Picky": not fine')
})

it('enables the same plugins by default as kube-apiserver', async () => {
  expect(listNames(await createBuiltinPlugins().create(dependencies))).toEqual([
    'NamespaceLifecycle',
    'LimitRanger',
    'ServiceAccount',
    'TaintNodesByCondition',
    'PodSecurity',
    'Priority',
    'DefaultTolerationSeconds',
    'DefaultStorageClass',
    'StorageObjectInUseProtection',
    'PersistentVolumeClaimResize',
    'RuntimeClass',
    'CertificateApproval',
    'CertificateSigning',
    'ClusterTrustBundleAttest',
    'CertificateSubjectRestriction',
    'DefaultIngressClass',
    'PodTopologyLabels',
    'NodeDeclaredFeatureValidator',
    'PodResizeValidator',
    'MutatingAdmissionPolicy',
    'MutatingAdmissionWebhook',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionWebhook',
    'ResourceQuota',
  ])
})

it('disposes the plugins that were created before one that fails', async () => {
  const disposed: string[] = []
  const plugins = new AdmissionPlugins()
  for (const name of ['First', 'Second']) {
    plugins.register(name, async () => ({ name, [Symbol.asyncDispose]: async () => void disposed.push(name) }))
  }
  plugins.register('Third', () => Promise.reject(new Error('no file')))
  await expect(plugins.create(dependencies)).rejects.toThrow('couldn\'t init admission plugin "Third": no file')
  expect(disposed).toEqual(['Second', 'First'])
})

// kube-apiserver 1.36 logs these lists at its start, here with all plugins enabled.
const mutating =
  'AlwaysAdmit,NamespaceAutoProvision,NamespaceLifecycle,LimitRanger,ServiceAccount,NodeRestriction,TaintNodesByCondition,AlwaysPullImages,' +
  'PodNodeSelector,Priority,DefaultTolerationSeconds,PodTolerationRestriction,ExtendedResourceToleration,DefaultStorageClass,' +
  'StorageObjectInUseProtection,PodGroupProtection,RuntimeClass,DefaultIngressClass,PodTopologyLabels,MutatingAdmissionPolicy,' +
  'MutatingAdmissionWebhook,AlwaysDeny'
const validating =
  'AlwaysAdmit,NamespaceExists,LimitPodHardAntiAffinityTopology,LimitRanger,ServiceAccount,AlwaysPullImages,ImagePolicyWebhook,PodSecurity,' +
  'PodNodeSelector,Priority,PodTolerationRestriction,EventRateLimit,OwnerReferencesPermissionEnforcement,PersistentVolumeClaimResize,' +
  'RuntimeClass,CertificateApproval,CertificateSigning,ClusterTrustBundleAttest,CertificateSubjectRestriction,DenyServiceExternalIPs,' +
  'PodGroupWorkloadExists,NodeDeclaredFeatureValidator,JobValidation,PodResizeValidator,ValidatingAdmissionPolicy,' +
  'ValidatingAdmissionWebhook,ResourceQuota,AlwaysDeny'

it("runs the phases of all plugins in kube-apiserver's order", async () => {
  const plugins = createBuiltinPlugins()
  const eventLimits = { kind: 'Configuration', apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1' }
  const kubeConfigFile = writeKubeconfig('https://images.example.com/review')
  const configuration = new Map<string, unknown>([
    ['EventRateLimit', { ...eventLimits, limits: [{ type: 'Server', qps: 1, burst: 1 }] }],
    ['ImagePolicyWebhook', { imagePolicy: { kubeConfigFile } }],
  ])
  const enable = plugins.names.filter((name) => defaultOffPlugins.has(name))
  const created = await plugins.create(dependencies, { enable, configuration })
  const filterRegistered = (list: string): string[] => list.split(',').filter((name) => plugins.names.includes(name))
  expect(listNames(created.filter(({ admit }) => admit !== undefined))).toEqual(filterRegistered(mutating))
  // NamespaceLifecycle checks the namespace once more just before the write.
  const validate = created.filter((plugin) => plugin.validate !== undefined && plugin.name !== 'NamespaceLifecycle')
  expect(listNames(validate)).toEqual(filterRegistered(validating))
  expect([...new Set([...mutating.split(','), ...validating.split(',')])].toSorted()).toEqual(allOrderedPlugins.toSorted())
})

it('the order contains every plugin that is off by default', () => {
  expect([...defaultOffPlugins].filter((name) => !allOrderedPlugins.includes(name))).toEqual([])
  expect(new Set(allOrderedPlugins).size).toBe(allOrderedPlugins.length)
})
