import { jsonKinds } from '@keelson/api'
import { newForbidden } from '@keelson/apimachinery'
import type { Authenticator, Authorizer } from '@keelson/auth'
import { defineApiGroup, defineResource } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { writeError } from '@keelson/http-installer'
import { afterEach, expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import type { ServerChain } from './server-chain.ts'

const groupVersion = { group: 'widgets.example.com', version: 'v1beta1' }
const widgets: ApiGroup = defineApiGroup({
  name: groupVersion.group,
  priority: 100,
  types: [jsonKinds(groupVersion, [{ kind: 'Widget' }])],
  resources: [defineResource({ ...groupVersion, kind: 'Widget', plural: 'widgets', scope: 'Namespaced', strategy: {} })],
})
const path = '/apis/widgets.example.com/v1beta1/namespaces/default/widgets'
const admin = { name: 'admin', groups: ['system:masters'] }

let chain: ServerChain | undefined
afterEach(() => chain?.close())

async function start(options: ServerChainOptions): Promise<ServerChain> {
  chain = await createServerChain({ log: () => {}, ...options })
  await chain.start()
  return chain
}

test('serves only custom groups and logs the skipped hooks', async () => {
  const lines: string[] = []
  const { fetch } = bindFetch(
    await start({
      groups: [widgets],
      log: (level, text, fields) => void lines.push(`${level} ${text} ${fields?.['hook'] ?? ''}${fields?.['controller'] ?? ''}`),
    }),
  )
  expect((await fetch(path, { user: admin })).status).toBe(200)
  expect(await (await fetch('/apis', { user: admin })).json()).toMatchObject({ groups: [{ name: 'widgets.example.com' }] })
  expect((await fetch('/api/v1/namespaces', { user: admin })).status).toBe(404)
  expect((await fetch('/readyz')).status).toBe(200)
  expect(lines).toContain('1 Start hook skipped start-system-namespaces-controller')
  expect(lines).toContain('1 Controller skipped namespace-controller')
  expect(lines.filter((line) => line.startsWith('0'))).toEqual([])
})

test('starts without groups and serves one installed later', async () => {
  const server = await start({ groups: [] })
  expect((await server.fetch(path, { user: admin })).status).toBe(404)
  const installed = server.install(widgets)
  expect((await server.fetch(path, { user: admin })).status).toBe(200)
  expect(server.client.resource({ group: 'widgets.example.com', resource: 'widgets' })).toBeDefined()
  await installed[Symbol.asyncDispose]()
  expect((await server.fetch(path, { user: admin })).status).toBe(404)
})

test('disables a version of a custom group by name', async () => {
  const server = await start({ groups: [widgets], features: { runtimeConfig: { 'widgets.example.com/v1beta1': false } } })
  expect((await server.fetch(path, { user: admin })).status).toBe(404)
  const unknown = { groups: [widgets], features: { runtimeConfig: { 'apps/v1': false } } }
  await expect(createServerChain(unknown)).rejects.toThrow('unknown api groups apps/v1')
})

test('runs custom authenticators and authorizers after the built-in ones', async () => {
  const authenticator: Authenticator = {
    authenticate: ({ headers }) =>
      headers['x-user'] === undefined
        ? { outcome: 'unknown' }
        : { outcome: 'authenticated', user: { name: String(headers['x-user']), groups: [] } },
  }
  const authorizedUsers: string[] = []
  const authorizer: Authorizer = {
    authorize({ user }) {
      authorizedUsers.push(user.name)
      return user.name === 'alice' ? { decision: 'allow', reason: '' } : { decision: 'deny', reason: 'only alice may' }
    },
  }
  const server = await start({ groups: [widgets], authenticators: [authenticator], authorizers: [authorizer] })
  const requestStatus = async (headers: Record<string, string>): Promise<number> => (await server.fetch(path, { headers })).status
  expect(await requestStatus({ 'x-user': 'alice' })).toBe(200)
  expect(await requestStatus({ 'x-user': 'bob' })).toBe(403)
  expect(await requestStatus({ 'x-user': 'bob', authorization: `Bearer ${server.adminToken}` })).toBe(200)
  expect((await server.fetch('/healthz')).status).toBe(200)
  expect(authorizedUsers).toEqual(['alice', 'bob'])
})

test('runs custom filters at their position', async () => {
  const noWidgets = {
    name: 'no-widgets',
    after: 'authentication',
    filter: (exchange: Parameters<typeof writeError>[0]) => {
      if (exchange.attributes.resource !== 'widgets') return undefined
      writeError(exchange, newForbidden({ group: '', resource: 'widgets' }, '', `not for ${exchange.user.name}`))
      return 'answered' as const
    },
  }
  const server = await start({ groups: [widgets], filters: [noWidgets] })
  const refusal = await server.fetch(path, { user: admin })
  expect([refusal.status, await refusal.text()]).toEqual([403, expect.stringContaining('not for admin')])
  expect((await server.fetch('/apis', { user: admin })).status).toBe(200)
  await expect(createServerChain({ filters: [{ ...noWidgets, after: 'nowhere' }] })).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: expect.stringContaining('there is no filter nowhere'),
  })
})

function bindFetch(server: ServerChain): Pick<ServerChain, 'fetch'> {
  return { fetch: (...request) => server.fetch(...request) }
}
