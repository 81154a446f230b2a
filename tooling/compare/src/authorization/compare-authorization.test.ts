// Tests the tool with two Keelson servers, one of them behind a proxy that alters responses. `npm run compare -- --decisions` uses kube-apiserver.
import { startKeelsonProcess } from '@keelson/tooling-e2e/keelson-process'
import type { KeelsonProcess } from '@keelson/tooling-e2e/keelson-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAlteringProxy } from '../altering-proxy.fixture.ts'
import { Server } from '../play/server.ts'
import { compareDecisions } from './compare-decisions.ts'
import { compareRoleWrites } from './compare-role-writes.ts'

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

async function listBindingNames(server: Server): Promise<readonly string[]> {
  const list = (await server.get('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings')) as { items: { metadata: { name: string } }[] }
  return list.items.map(({ metadata }) => metadata.name)
}

describe('compareDecisions', () => {
  it('finds no difference between two equal servers, covers allowed and denied requests, and removes its objects', async () => {
    const [one, two] = servers
    const before = await listBindingNames(one)
    const { allowed, differences } = await compareDecisions(one, two, { seed: 1, decisions: 600, prefix: 'equal', round: 300 })
    expect(differences).toEqual([])
    expect(allowed).toBeGreaterThan(30)
    expect(allowed).toBeLessThan(500)
    expect(await listBindingNames(one)).toEqual(before)
  })

  it('finds a single wrong decision', async () => {
    const [one, two] = servers
    let isAltered = false
    await using proxy = await startAlteringProxy(two, ({ path, body }) => {
      if (isAltered || !path.includes('subjectaccessreviews') || !body.includes('system:node:') || !body.includes('"allowed":false'))
        return body
      isAltered = true
      return body.replace('"allowed":false', '"allowed":true')
    })
    using altered = new Server(proxy.url, two.token)
    const { differences } = await compareDecisions(one, altered, { seed: 1, decisions: 300, prefix: 'altered' })
    expect(differences).toHaveLength(1)
    expect(differences[0]).toMatchObject({ want: { allowed: false }, got: { allowed: true } })
  })
})

describe('compareRoleWrites', () => {
  it('finds no difference between two equal servers, and covers rejected privilege escalations', async () => {
    const [one, two] = servers
    const { refused, differences } = await compareRoleWrites(one, two, { seed: 1, writes: 150, prefix: 'writes' })
    expect(differences).toEqual([])
    expect(refused).toBeGreaterThan(20)
  })

  it('finds a rejection with a different message', async () => {
    const [one, two] = servers
    await using proxy = await startAlteringProxy(two, ({ code, body }) => (code === 403 ? body.replace('is attempting', 'tries') : body))
    using altered = new Server(proxy.url, two.token)
    const { differences } = await compareRoleWrites(one, altered, { seed: 1, writes: 60, prefix: 'message' })
    expect(differences.length).toBeGreaterThan(0)
  })
})
