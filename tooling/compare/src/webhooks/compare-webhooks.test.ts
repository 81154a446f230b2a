// Tests the tool with Keelson servers. `npm run compare -- --webhooks` uses kube-apiserver as the reference.
import { startKeelsonProcess } from '@keelson/tooling-e2e/keelson-process'
import { expect, it } from 'vitest'
import { startAlteringProxy } from '../altering-proxy.fixture.ts'
import { Server } from '../play/server.ts'
import { compareWebhooks } from './compare-webhooks.ts'

it('finds no difference between two equal servers, covers calls and refusals, and removes its objects', async () => {
  await using process = await startKeelsonProcess({ controllers: 'none' })
  await using other = await startKeelsonProcess({ controllers: 'none' })
  using server = new Server(process.url, process.token)
  using two = new Server(other.url, other.token)
  const listNames = async (): Promise<readonly string[]> => {
    const paths = ['/api/v1/namespaces', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', '/api/v1/pods']
    const lists = (await Promise.all(paths.map((path) => server.get(path)))) as unknown as { items: { metadata: { name: string } }[] }[]
    return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name))
  }
  const before = await listNames()
  const { calls, refused, differences } = await compareWebhooks(server, two, { seed: 3, requests: 60, prefix: 'equal', setsPerRound: 5 })
  expect(differences).toEqual([])
  expect(calls).toBeGreaterThan(20)
  expect(refused).toBeGreaterThan(10)
  expect(await listNames()).toEqual(before)

  await using proxy = await startAlteringProxy(two, ({ code, body }) => (code >= 400 ? body.replace('webhook', 'hook') : body))
  using altered = new Server(proxy.url, two.token)
  const withAltered = await compareWebhooks(server, altered, { seed: 3, requests: 60, prefix: 'altered', setsPerRound: 5 })
  expect(withAltered.differences.length).toBeGreaterThan(0)
})

it('finds a server that does not call validating webhooks', async () => {
  await using process = await startKeelsonProcess({ controllers: 'none' })
  await using other = await startKeelsonProcess({
    controllers: 'none',
    flags: ['--disable-admission-plugins=ValidatingAdmissionWebhook'],
  })
  using server = new Server(process.url, process.token)
  using two = new Server(other.url, other.token)
  const { differences } = await compareWebhooks(server, two, { seed: 3, requests: 60, prefix: 'silent', setsPerRound: 5 })
  expect(differences.map(({ where }) => where)).toContain('body.calls[*]')
})
