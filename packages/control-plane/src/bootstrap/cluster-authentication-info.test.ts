import type { ConfigMap } from '@keelson/api/core/v1'
import { systemClock } from '@keelson/apimachinery'
import { openMemory } from '@keelson/backend-embedded'
import type { Backend } from '@keelson/storagebackend'
import { createMemoryCertificateStore, openOwnCertificates } from '@keelson/server'
import { afterEach, describe, expect, test } from 'vitest'
import type { ServerChain } from '../server-chain.ts'
import { startChain } from '../start-chain.fixture.ts'
import { combineData, publishAuthenticationInfo } from './cluster-authentication-info.ts'

const openChains: AsyncDisposable[] = []
afterEach(async () => {
  for (const openChain of openChains.splice(0).toReversed()) await openChain[Symbol.asyncDispose]()
})

const findConfigMaps = (chain: ServerChain) => chain.client.resource<ConfigMap>({ group: '', resource: 'configmaps' })!
const readPublished = async (chain: ServerChain): Promise<Readonly<Record<string, string>> | undefined> =>
  (await findConfigMaps(chain).get('kube-system', 'extension-apiserver-authentication', { resourceVersion: '' }))?.data
const count = (pem = ''): number => pem.split('-----BEGIN').length - 1

function openStore(): Backend {
  const backend = openMemory()
  openChains.push(backend)
  return backend
}

async function start(backend: Backend): Promise<ServerChain> {
  const chain = await startChain({ storage: { backend } })
  openChains.push(chain)
  return chain
}

describe('extension-apiserver-authentication', () => {
  test('the ConfigMap has the authorities and headers of the server, and is created again after a delete', async () => {
    const chain = await start(openStore())
    const first = await readPublished(chain)
    expect(first).toEqual({
      'client-ca-file': chain.certificateAuthority,
      'requestheader-client-ca-file': expect.stringContaining('BEGIN CERTIFICATE') as unknown,
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-allowed-names': '["front-proxy-client"]',
    })
    await findConfigMaps(chain).delete('kube-system', 'extension-apiserver-authentication')
    await expect.poll(() => readPublished(chain)).toEqual(first)
  })

  test('the ConfigMap has the authorities of all servers of a store', async () => {
    const backend = openStore()
    const first = await readPublished(await start(backend))
    const second = await readPublished(await start(backend))
    expect([count(first!['client-ca-file']), count(second!['client-ca-file'])]).toEqual([1, 2])
    expect(count(second!['requestheader-client-ca-file'])).toBe(2)
    expect(second!['requestheader-username-headers']).toBe('["X-Remote-User"]')
  })
})

test('updates the ConfigMap when CA files change, and reports data that it cannot parse', async () => {
  const chain = await start(openStore())
  await findConfigMaps(chain).delete('kube-system', 'extension-apiserver-authentication')
  const { ca, frontProxy } = await openOwnCertificates({ store: createMemoryCertificateStore(), frontProxy: true })
  let current = { certificate: '', key: '', clientAuthorities: [] as string[], frontProxyAuthorities: [] as string[] }
  let changeNothing = (): void => {}
  const stop = new AbortController()
  const errors: unknown[] = []
  await publishAuthenticationInfo({
    client: chain.client,
    certificates: {
      get current() {
        return current
      },
      onChange: (listener) => (changeNothing = listener),
    },
    requestHeaders: undefined,
    clock: systemClock,
    signal: stop.signal,
    onError: (error) => errors.push(error),
  })
  try {
    current = { ...current, clientAuthorities: [ca.certificate], frontProxyAuthorities: [frontProxy!.ca.certificate] }
    changeNothing()
    await expect.poll(async () => (await readPublished(chain))?.['client-ca-file']).toContain(ca.certificate)
    expect((await readPublished(chain))!['requestheader-client-ca-file']).toContain(frontProxy!.ca.certificate)
    await findConfigMaps(chain).update('kube-system', 'extension-apiserver-authentication', (object) => ({
      ...object,
      data: { 'requestheader-allowed-names': 'front' },
    }))
    changeNothing()
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    expect(await readPublished(chain)).toEqual({ 'requestheader-allowed-names': 'front' })
  } finally {
    stop.abort()
  }
})

describe('combinedData', () => {
  const now = Date.now()
  const emptyInfo = { clientAuthorities: [], frontProxyAuthorities: [], requestHeaders: undefined }
  const createAuthority = async (at: number) =>
    (await openOwnCertificates({ store: createMemoryCertificateStore(), now: () => at })).ca.certificate

  test('keeps entries of other servers and removes expired certificates', async () => {
    const [ownCA, otherCA, expiredCA] = [
      await createAuthority(now),
      await createAuthority(now),
      await createAuthority(now - 3651 * 86_400_000),
    ]
    const stored = {
      'client-ca-file': expiredCA + otherCA,
      'requestheader-client-ca-file': otherCA,
      'requestheader-allowed-names': '["a"]',
    }
    const headers = { usernameHeaders: ['X-User'], allowedNames: ['a', 'b'] }
    expect(combineData(stored, { clientAuthorities: [ownCA, otherCA], frontProxyAuthorities: [], requestHeaders: headers }, now)).toEqual({
      'client-ca-file': otherCA + ownCA,
      'requestheader-client-ca-file': otherCA,
      'requestheader-username-headers': '["X-User"]',
      'requestheader-group-headers': '[]',
      'requestheader-extra-headers-prefix': '[]',
      'requestheader-allowed-names': '["a","b"]',
    })
  })

  test('the data has no headers if no CA of front proxies is configured', () => {
    expect(combineData({ 'requestheader-username-headers': '["a"]', other: 'x' }, emptyInfo, now)).toEqual({})
  })

  test('throws for data that it cannot parse, instead of overwriting the data', () => {
    expect(() => combineData({ 'requestheader-allowed-names': '{}' }, emptyInfo, now)).toThrow('not a list of strings')
    expect(() => combineData({ 'requestheader-allowed-names': 'x' }, emptyInfo, now)).toThrow()
  })
})
