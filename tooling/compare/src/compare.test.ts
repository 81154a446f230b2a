// Tests the tool with two Keelson servers. `npm run compare` uses kube-apiserver as the reference.
import { startKeelsonProcess } from '@keelson/tooling-e2e/keelson-process'
import type { KeelsonProcess } from '@keelson/tooling-e2e/keelson-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAlteringProxy } from './altering-proxy.fixture.ts'
import { compare } from './compare.ts'
import { refuseNodes } from './play/run-namespace.ts'
import { Server } from './play/server.ts'
import { formatGoldenLines } from './report/save-cases.ts'
import { change } from './scenarios/change.ts'
import { create } from './scenarios/create.ts'

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

describe('compare', () => {
  it('finds no difference between two equal servers, and removes its objects', async () => {
    const [one, two] = servers
    const everything = [
      '/api/v1/namespaces',
      '/api/v1/nodes',
      '/api/v1/persistentvolumes',
      '/api/v1/pods',
      '/api/v1/services',
      '/api/v1/serviceaccounts',
    ]
    const listNames = async (): Promise<string[]> => {
      const lists = await Promise.all(everything.map((path) => one.get(path)))
      return lists.flatMap((list) => (list as { items: { metadata: { name: string } }[] }).items.map(({ metadata: { name } }) => name))
    }
    const before = await listNames()
    const { groups, cases, steps } = await compare(one, two, { seed: 1, steps: 120, only: [] })
    expect(groups.map(({ name, found }) => `${name}: ${JSON.stringify(found[0]?.difference)}`)).toEqual([])
    expect(cases).toBeGreaterThan(20)
    expect(steps).toBeGreaterThanOrEqual(120)
    expect(await listNames()).toEqual(before)
  })

  it('finds an altered response, names the altered field, and minimizes the case', async () => {
    const [one, two] = servers
    await using proxy = await startAlteringProxy(two, ({ method, path, code, body }) =>
      method === 'POST' && path.includes('/configmaps') && code === 201 ? body.replace('"kind":"ConfigMap"', '"kind":"ConfigPlan"') : body,
    )
    using altered = new Server(proxy.url, two.token)
    const result = await compare(one, altered, {
      seed: 1,
      steps: 40,
      only: ['create/ConfigMap', 'change/ConfigMap'],
      scenarios: [create, change],
      trials: 30,
    })
    expect(result.groups.map(({ name }) => name).toSorted()).toEqual(['change POST ConfigMap body.kind', 'create POST ConfigMap body.kind'])
    for (const { smallestCase, found: all } of result.groups) {
      expect(all[0]?.difference).toMatchObject({ want: 'ConfigMap', got: 'ConfigPlan' })
      expect(smallestCase.steps).toHaveLength(1)
      expect(smallestCase.steps[0]?.body).not.toHaveProperty('data')
    }
    const [setup, ...lines] = formatGoldenLines(result.groups).map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(setup).toMatchObject({ setup: true })
    expect(lines[0]).toMatchObject({
      id: `compare/${result.groups[0]?.smallestCase.id}`,
      steps: [{ method: 'POST', expect: { code: 201, body: { kind: 'ConfigMap' } } }],
    })
    expect(JSON.stringify(lines)).not.toContain('compare-')
  })

  it('ignores an error that the reference also returns, but not always', async () => {
    const [one, two] = servers
    let failures = 0
    await using proxy = await startAlteringProxy(one, ({ code, body }) =>
      code === 422 && ++failures % 2 === 1 ? body.replace('"message":"', '"message":"other: ') : body,
    )
    using reference = new Server(proxy.url, one.token)
    const { groups, flaky } = await compare(reference, two, { seed: 1, steps: 60, only: ['create/Pod'] })
    expect([...groups, ...flaky]).toEqual([])
    expect(failures).toBeGreaterThan(1)
  })

  it('rejects a server with nodes', async () => {
    const [one] = servers
    await expect(refuseNodes(one)).resolves.toBeUndefined()
    await one.send({ method: 'POST', path: '/api/v1/nodes', body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } } })
    await expect(refuseNodes(one)).rejects.toThrow('has nodes')
  })
})
