import { openMemory } from '@keelson/backend-embedded'
import { createPrefixRange } from '@keelson/storagebackend'
import { expect, test } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import { startChain } from './start-chain.fixture.ts'

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const created: readonly (readonly [path: string, body: object])[] = [
  ['/api/v1/nodes', {}],
  ['/api/v1/namespaces/default/endpoints', {}],
  ['/api/v1/namespaces/default/events', { involvedObject: { namespace: 'default' } }],
  ['/api/v1/namespaces/default/replicationcontrollers', { spec: { replicas: 0, template } }],
  ['/apis/apps/v1/namespaces/default/deployments', { spec: { selector: { matchLabels: { app: 'a' } }, template } }],
  [
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    { spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } } },
  ],
]

test("stores objects under kube-apiserver's keys", async () => {
  await using backend = openMemory()
  await using chain = await startChain({ storage: { backend } })
  for (const [path, body] of created)
    expect((await askServer(chain, 'POST', path, { body: { metadata: { name: 'a' }, ...body } })).status).toBe(201)
  const { entries } = await backend.list(createPrefixRange('/registry/'))
  expect(entries.map(({ key }) => key)).toEqual(
    expect.arrayContaining([
      '/registry/minions/a',
      '/registry/services/endpoints/default/a',
      '/registry/services/specs/default/kubernetes',
      '/registry/events/default/a',
      '/registry/controllers/default/a',
      '/registry/deployments/default/a',
      '/registry/ingress/default/a',
      '/registry/ranges/servicenodeports',
      expect.stringMatching(/^\/registry\/masterleases\/[0-9.]+$/),
    ]),
  )
})
