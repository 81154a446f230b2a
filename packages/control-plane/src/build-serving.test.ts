import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { decodeCbor } from '@keelson/apimachinery/cbor'
import { expect, it } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import { startChain } from './start-chain.fixture.ts'

async function getInCbor(options: ServerChainOptions, path: string): Promise<{ status: number | undefined; bytes: Buffer }> {
  await using chain = await startChain(options)
  const clientRequest = request(`${chain.url}${path}`, {
    ca: chain.certificateAuthority,
    headers: { authorization: `Bearer ${chain.adminToken}`, accept: 'application/cbor' },
    agent: false,
  })
  clientRequest.end()
  const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, bytes: Buffer.concat(await answer.toArray()) }
}

it('serves CBOR only if its feature gate is enabled', async () => {
  const path = '/api/v1/namespaces/default/services'
  const { status, bytes } = await getInCbor({ features: { gates: { CBORServingAndStorage: true } } }, path)
  expect(status).toBe(200)
  expect(decodeCbor(bytes)).toMatchObject({ kind: 'ServiceList', items: [{ metadata: { name: 'kubernetes' } }] })
  expect((await getInCbor({}, path)).status).toBe(406)
})

it.each<[ServerChainOptions, string]>([
  [{ features: { gates: { Unheard: true } } }, 'unrecognized feature gate: Unheard'],
  [{ serving: { tlsMinVersion: 'VersionTLS14' } }, 'unknown tls version'],
  [{ serving: { tlsCipherSuites: ['TLS_NULL'] } }, 'Cipher suite TLS_NULL not supported'],
])('rejects %j', async (options, message) => {
  await expect(createServerChain({ controllers: ['none'], ...options })).rejects.toThrow(message)
})
