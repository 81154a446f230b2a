import { createLoopbackClient } from '@keelson/loopback'
import { expect, it } from 'vitest'
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts'
import { AdmissionPlugins } from './admission-plugins.ts'
import { builtinPlugins } from './builtin-plugins.ts'
import { createAdmissionChain } from './create-admission-chain.ts'
import { allOrderedPlugins, defaultOffPlugins } from './plugin-order.ts'

const dependencies = { client: createLoopbackClient() }
const plugin = (name: string) => (): AdmissionPlugin => ({ name })
const registered = (...names: string[]): AdmissionPlugins => {
  const plugins = new AdmissionPlugins()
  for (const name of names) plugins.register(name, plugin(name))
  return plugins
}
const named = (plugins: readonly AdmissionPlugin[]): string[] => plugins.map(({ name }) => name)

it('runs in the original’s order, whatever the order of registration; what it does not know before policies and webhooks', () => {
  const plugins = registered('ResourceQuota', 'OurOwn', 'LimitRanger', 'MutatingAdmissionWebhook', 'NamespaceLifecycle')
  const order = ['NamespaceLifecycle', 'LimitRanger', 'OurOwn', 'MutatingAdmissionWebhook', 'ResourceQuota']
  expect(named(plugins.create(dependencies))).toEqual(order)
})

it('those that are off by default are on when named, and the other way about', () => {
  const plugins = registered('NamespaceLifecycle', 'AlwaysPullImages', 'PodSecurity')
  expect(named(plugins.create(dependencies))).toEqual(['NamespaceLifecycle', 'PodSecurity'])
  expect(named(plugins.create(dependencies, { enable: ['AlwaysPullImages'], disable: ['PodSecurity'] }))).toEqual([
    'NamespaceLifecycle',
    'AlwaysPullImages',
  ])
})

it('names what cannot be had', () => {
  const plugins = builtinPlugins()
  expect(() => plugins.create(dependencies, { enable: ['Nosuch'] })).toThrow('admission plugin "Nosuch" is unknown')
  expect(() => plugins.create(dependencies, { enable: ['PodSecurity'] })).toThrow(
    'admission plugin PodSecurity is not available in this server',
  )
  expect(() => plugins.create(dependencies, { disable: ['PodSecurity'] })).not.toThrow()
  expect(() => plugins.create(dependencies, { enable: ['NamespaceLifecycle'], disable: ['NamespaceLifecycle'] })).toThrow(
    'both enabled and disabled',
  )
  expect(() => plugins.register('NamespaceLifecycle', plugin('x'))).toThrow('registered twice')
})

it('every plugin that is off is one that there is', () => {
  expect([...defaultOffPlugins].filter((name) => !allOrderedPlugins.includes(name))).toEqual([])
  expect(new Set(allOrderedPlugins).size).toBe(allOrderedPlugins.length)
})

it('admits all, then validates all; the first refusal ends it; each hears of its own operations only', async () => {
  const log: string[] = []
  const recording = (name: string, more: Partial<AdmissionPlugin> = {}): AdmissionPlugin => ({
    name,
    admit: () => void log.push(`admit ${name}`),
    validate: () => void log.push(`validate ${name}`),
    ...more,
  })
  const refuse = (): never => {
    throw new Error('no')
  }
  const chain = createAdmissionChain([
    recording('a'),
    recording('b', { operations: ['CONNECT'] }),
    recording('c', { validate: refuse }),
    recording('d'),
  ])
  const attributes = { operation: 'CREATE' } as AdmissionAttributes
  await chain.admit(attributes)
  await expect(chain.validate(attributes)).rejects.toThrow('no')
  expect(log).toEqual(['admit a', 'admit c', 'admit d', 'validate a'])
  expect([chain.handles('CREATE'), chain.handles('CONNECT'), createAdmissionChain([]).handles('CREATE')]).toEqual([true, true, false])
})
