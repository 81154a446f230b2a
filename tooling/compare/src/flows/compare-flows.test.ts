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
