import { createStaticTokens } from '@keelson/auth'
import type { Status } from '@keelson/api/meta/v1'
import { expect, test } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const asNode = (name: string) => [`${name}-token`, { name: `system:node:${name}`, groups: ['system:nodes'] }] as const
const options: ServerChainOptions = {
  authorization: { modes: ['Node'] },
  authentication: { tokens: [createStaticTokens([asNode('n1'), asNode('n2')])] },
  admission: { disable: ['ServiceAccount'] },
}

async function create(chain: ServerChain, path: string, body: object): Promise<void> {
  expect(await askServer<Status>(chain, 'POST', path, { body })).toMatchObject({ status: 201 })
}

async function statusOf(chain: ServerChain, node: string, target: string): Promise<number> {
  return (await askServer<Status>(chain, 'GET', target, { token: `${node}-token` })).status
}

const secrets = '/api/v1/namespaces/default/secrets'
const pods = '/api/v1/namespaces/default/pods'
const pod = (name: string, spec: object) => ({
  metadata: { name },
  spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], ...spec },
})
const volume = {
  metadata: { name: 'vol' },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: { namespace: 'default', name: 'mount' } },
    claimRef: { namespace: 'default', name: 'data' },
  },
}

test('a node reads what its pods use, from their binding to their end', async () => {
  await using chain = await startChain(options)
  for (const name of ['used', 'mount']) await create(chain, secrets, { metadata: { name } })
  expect(await statusOf(chain, 'n1', `${secrets}/used`)).toBe(403)
  await create(chain, '/api/v1/persistentvolumes', volume)
  await create(
    chain,
    pods,
    pod('p', {
      volumes: [
        { name: 's', secret: { secretName: 'used' } },
        { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
      ],
    }),
  )
  await expect.poll(() => statusOf(chain, 'n1', `${secrets}/mount`)).toBe(200)
  await expect.poll(() => statusOf(chain, 'n1', `${secrets}/used`)).toBe(200)
  expect(await statusOf(chain, 'n1', `${pods}/p`)).toBe(200)
  expect(await statusOf(chain, 'n1', '/api/v1/persistentvolumes/vol')).toBe(200)
  expect(await statusOf(chain, 'n1', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1')).toBe(200)
  for (const target of [`${secrets}/used`, `${secrets}/mount`, `${pods}/p`]) expect(await statusOf(chain, 'n2', target)).toBe(403)

  await askServer(chain, 'DELETE', `${pods}/p?gracePeriodSeconds=0`)
  await expect.poll(() => statusOf(chain, 'n1', `${secrets}/used`)).toBe(403)
  expect(await statusOf(chain, 'n1', `${secrets}/mount`)).toBe(403)
})

test('a debug container gives the node access to its secrets', async () => {
  await using chain = await startChain(options)
  await create(chain, secrets, { metadata: { name: 'debug' } })
  await create(chain, pods, pod('p', {}))
  const ephemeralContainers = [{ name: 'd', image: 'i', envFrom: [{ secretRef: { name: 'debug' } }] }]
  const { body } = await askServer<{ spec: object }>(chain, 'GET', `${pods}/p`)
  const changed = { ...body, spec: { ...body.spec, ephemeralContainers } }
  expect(await askServer<Status>(chain, 'PUT', `${pods}/p/ephemeralcontainers`, { body: changed })).toMatchObject({ status: 200 })
  await expect.poll(() => statusOf(chain, 'n1', `${secrets}/debug`)).toBe(200)
})
