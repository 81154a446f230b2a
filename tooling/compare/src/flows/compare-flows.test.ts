// Tests the tool with two Keelson servers, one of them behind a proxy that alters responses. `npm run compare -- --flows` uses kube-apiserver.
import { startKeelsonProcess } from '@keelson/tooling-e2e/keelson-process'
import type { KeelsonProcess } from '@keelson/tooling-e2e/keelson-process'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startAlteringProxy } from '../altering-proxy.fixture.ts'
import { Server } from '../play/server.ts'
import { compareFlows } from './compare-flows.ts'

let processes: readonly KeelsonProcess[]
let servers: readonly [Server, Server]

beforeAll(async () => {
  processes = await Promise.all([1, 2].map(() => startKeelsonProcess({ controllers: 'none' })))
  servers = processes.map(({ url, token }) => new Server(url, token)) as [Server, Server] & readonly Server[]
})
afterAll(async () => {
  for (const server of servers) server[Symbol.dispose]()
  await Promise.all(processes.map((process) => process.stop()))
})

it('finds no difference between two equal servers, and uses many flow schemas', async () => {
  const { assigned, configurations, differences } = await compareFlows(...servers, { seed: 1, requests: 400, prefix: 'equal' })
  expect([differences, configurations]).toEqual([[], 2])
  expect(assigned.size).toBeGreaterThan(5)
})

it('finds a wrong condition', async () => {
  const [one, two] = servers
  await using proxy = await startAlteringProxy(two, ({ path, body }) =>
    path.endsWith('/flowschemas') ? body.replaceAll('"reason":"NotFound"', '"reason":"Missing"') : body,
  )
  using altered = new Server(proxy.url, two.token)
  const { differences } = await compareFlows(one, altered, { seed: 3, requests: 200, prefix: 'altered' })
  expect(differences.length).toBeGreaterThan(0)
})

it('finds a flow schema that only one server has', async () => {
  const [one, two] = servers
  await using proxy = await startAlteringProxy(two, ({ path, body }) =>
    path.endsWith('/flowschemas') ? body.replaceAll('"name":"probes"', '"name":"invented"') : body,
  )
  using altered = new Server(proxy.url, two.token)
  const { differences } = await compareFlows(one, altered, { seed: 4, requests: 1, prefix: 'extra' })
  expect(differences.map(({ what }) => String(what['name'])).toSorted()).toEqual(['invented', 'probes'])
})

const schemaHeader = 'x-kubernetes-pf-flowschema-uid'
const levelHeader = 'x-kubernetes-pf-prioritylevel-uid'
const without = (headers: Readonly<Record<string, string>>, omitted: string): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== omitted))

it.each<[string, (headers: Readonly<Record<string, string>>) => Record<string, string>]>([
  ['a wrong flow schema', (headers) => ({ ...headers, [schemaHeader]: '00000000-0000-0000-0000-000000000000' })],
  ['a wrong priority level', (headers) => ({ ...headers, [levelHeader]: headers[schemaHeader]! })],
  ['a missing flow schema', (headers) => without(headers, schemaHeader)],
  ['a missing priority level', (headers) => without(headers, levelHeader)],
])('finds %s in the headers of one response', async (name, change) => {
  const [one, two] = servers
  let altered = ''
  await using proxy = await startAlteringProxy(two, ({ method, path, body, headers }) => {
    const isAltered = altered === '' && path.startsWith('/api/v1/') && headers[schemaHeader] !== undefined
    if (!isAltered) return body
    altered = `${method} ${path}`
    return { headers: change(headers) }
  })
  using server = new Server(proxy.url, two.token)
  const { differences } = await compareFlows(one, server, { seed: 5, requests: 100, prefix: name.replaceAll(' ', '-') })
  expect(differences.map(({ what }) => `${String(what['method'])} ${String(what['path'])}`)).toEqual([altered])
})
