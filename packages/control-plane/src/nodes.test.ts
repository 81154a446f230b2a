import { createStaticTokens } from '@keelson/auth'
import type { Status } from '@keelson/api/meta/v1'
import { expect, test } from 'vitest'
import { askServer } from './ask-server.fixture.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const createNodeToken = (name: string) => [`${name}-token`, { name: `system:node:${name}`, groups: ['system:nodes'] }] as const
const options: ServerChainOptions = {
  authorization: { modes: ['Node'] },
  authentication: { tokens: [createStaticTokens([createNodeToken('n1'), createNodeToken('n2')])] },
  admission: { disable: ['ServiceAccount'] },
}

async function create(chain: ServerChain, path: string, body: object): Promise<void> {
  expect(await askServer<Status>(chain, 'POST', path, { body })).toMatchObject({ status: 201 })
}

async function requestStatus(chain: ServerChain, node: string, target: string): Promise<number> {
  return (await askServer<Status>(chain, 'GET', target, { token: `${node}-token` })).status
}

const secrets = '/api/v1/namespaces/default/secrets'
const pods = '/api/v1/namespaces/default/pods'
const createPod = (name: string, spec: object) => ({
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

test('a node can read the objects that its pods use, from their binding to their deletion', async () => {
  await using chain = await startChain(options)
  for (const name of ['used', 'mount']) await create(chain, secrets, { metadata: { name } })
  expect(await requestStatus(chain, 'n1', `${secrets}/used`)).toBe(403)
  await create(chain, '/api/v1/persistentvolumes', volume)
  await create(
    chain,
    pods,
    createPod('p', {
      volumes: [
        { name: 's', secret: { secretName: 'used' } },
        { name: 'd', persistentVolumeClaim: { claimName: 'data' } },
      ],
    }),
  )
  await expect.poll(() => requestStatus(chain, 'n1', `${secrets}/mount`)).toBe(200)
  await expect.poll(() => requestStatus(chain, 'n1', `${secrets}/used`)).toBe(200)
  expect(await requestStatus(chain, 'n1', `${pods}/p`)).toBe(200)
  expect(await requestStatus(chain, 'n1', '/api/v1/persistentvolumes/vol')).toBe(200)
  expect(await requestStatus(chain, 'n1', '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1')).toBe(200)
  // The role `system:node` allows listing services.
  expect(await requestStatus(chain, 'n1', '/api/v1/services')).toBe(200)
  expect(await requestStatus(chain, 'n1', '/api/v1/namespaces')).toBe(403)
  for (const target of [`${secrets}/used`, `${secrets}/mount`, `${pods}/p`]) expect(await requestStatus(chain, 'n2', target)).toBe(403)

  await askServer(chain, 'DELETE', `${pods}/p?gracePeriodSeconds=0`)
  await expect.poll(() => requestStatus(chain, 'n1', `${secrets}/used`)).toBe(403)
  expect(await requestStatus(chain, 'n1', `${secrets}/mount`)).toBe(403)
})

test('a debug container gives the node access to its secrets', async () => {
  await using chain = await startChain(options)
  await create(chain, secrets, { metadata: { name: 'debug' } })
  await create(chain, pods, createPod('p', {}))
  const ephemeralContainers = [{ name: 'd', image: 'i', envFrom: [{ secretRef: { name: 'debug' } }] }]
  const { body } = await askServer<{ spec: object }>(chain, 'GET', `${pods}/p`)
  const changed = { ...body, spec: { ...body.spec, ephemeralContainers } }
  expect(await askServer<Status>(chain, 'PUT', `${pods}/p/ephemeralcontainers`, { body: changed })).toMatchObject({ status: 200 })
  await expect.poll(() => requestStatus(chain, 'n1', `${secrets}/debug`)).toBe(200)
})

test('NodeRestriction limits a kubelet to its node and the pods on it', async () => {
  await using chain = await startChain({ ...options, admission: { disable: ['ServiceAccount'], enable: ['NodeRestriction'] } })
  const requestAsN1 = async (method: string, target: string, body?: object): Promise<string> => {
    const answer = await askServer<Status>(chain, method, target, { body, token: 'n1-token' })
    return answer.status < 300 ? String(answer.status) : `${answer.status} ${answer.body.message}`
  }
  const nodes = '/api/v1/nodes'
  expect(await requestAsN1('POST', nodes, { metadata: { name: 'n1', labels: { 'kubernetes.io/hostname': 'n1' } } })).toBe('201')
  expect(await requestAsN1('POST', nodes, { metadata: { name: 'n2' } })).toBe(
    '403 nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
  )
  await create(chain, pods, createPod('mine', {}))
  await create(chain, pods, createPod('other', { nodeName: 'n2' }))
  expect(await requestAsN1('POST', pods, createPod('new', {}))).toBe(
    '403 pods "new" is forbidden: pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods',
  )
  const createEviction = (name: string) => ({ metadata: { name } })
  expect(await requestAsN1('POST', `${pods}/other/eviction`, createEviction('other'))).toBe(
    '403 pods "other" is forbidden: node n1 can only evict pods with spec.nodeName set to itself',
  )
  expect(await requestAsN1('POST', `${pods}/mine/eviction`, createEviction('mine'))).toBe('201')
  expect(await requestAsN1('DELETE', `${pods}/other`)).toBe(
    '403 pods "other" is forbidden: node "n1" can only delete pods with spec.nodeName set to itself',
  )

  const accounts = '/api/v1/namespaces/default/serviceaccounts'
  await create(chain, accounts, { metadata: { name: 'runner' } })
  const createTokenVolume = (audience: string) => ({ projected: { sources: [{ serviceAccountToken: { path: 't', audience } }] } })
  await create(chain, pods, createPod('user', { serviceAccountName: 'runner', volumes: [{ name: 't', ...createTokenVolume('vault') }] }))
  const { body } = await askServer<{ metadata: { uid: string } }>(chain, 'GET', `${pods}/user`)
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'user', uid: body.metadata.uid }
  const request = (audience: string) => ({ spec: { audiences: [audience], boundObjectRef } })
  await expect.poll(() => requestAsN1('POST', `${accounts}/runner/token`, request('vault'))).toBe('201')
  expect(await requestAsN1('POST', `${accounts}/runner/token`, request('other'))).toBe(
    '403 serviceaccounts "runner" is forbidden: audience "other" not found in pod spec volume, system:node:n1 is not authorized to request tokens for this audience',
  )
  expect(await requestAsN1('POST', `${accounts}/runner/token`, { spec: { audiences: ['vault'] } })).toBe(
    '403 serviceaccounts "runner" is forbidden: node requested token not bound to a pod',
  )
})
