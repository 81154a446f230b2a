import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect } from 'node:tls'
import { createMemoryCertificateStore, ownCertificates } from '@keelson/server'
import type { KeyPair } from '@keelson/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import { ServingFiles, readPair } from './serving-files.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-serving-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

async function pairFor(name: string): Promise<KeyPair> {
  return (await ownCertificates({ store: createMemoryCertificateStore(), names: [name] })).serving
}

async function write(name: string, pair: KeyPair): Promise<{ certificateFile: string; keyFile: string }> {
  const files = { certificateFile: path.join(directory, `${name}.crt`), keyFile: path.join(directory, `${name}.key`) }
  await writeFile(files.certificateFile, pair.certificate)
  await writeFile(files.keyFile, pair.key)
  return files
}

function shown(url: string, servername: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()!.toString())
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

test('selects the certificate by server name', async () => {
  const [standard, a, wild] = await Promise.all(['standard.test', 'a.example.com', 'wild.test'].map(pairFor))
  const chain = await createServerChain({
    serving: {
      certificateFiles: await write('standard', standard!),
      namedCertificateFiles: [await write('a', a!), { ...(await write('wild', wild!)), names: ['*.example.com'] }],
    },
  })
  try {
    await chain.listen()
    expect(await shown(chain.url, 'A.example.com')).toBe(a!.certificate)
    expect(await shown(chain.url, 'b.example.com')).toBe(wild!.certificate)
    expect(await shown(chain.url, 'b.c.example.com')).toBe(standard!.certificate)
  } finally {
    await chain.close()
  }
})

test('serves changed files, but not a mismatched pair', async () => {
  const [first, second] = await Promise.all([pairFor('first.test'), pairFor('second.test')])
  const files = await write('changing', first)
  const served: KeyPair[] = []
  const errors: string[] = []
  const following = new ServingFiles({
    pair: files,
    named: [],
    authorities: { fixed: [], files: [] },
    frontProxies: { fixed: [], files: [] },
    current: { ...(await readPair(files)), named: [], clientAuthorities: [], frontProxyAuthorities: [] },
    intervalMs: 5,
  })
  following.follow(
    {
      serveCertificates: (pair) => {
        if (pair.certificate !== second.certificate || pair.key !== second.key) throw new Error('key values mismatch')
        served.push(pair)
      },
    },
    (text) => errors.push(text),
  )
  try {
    await writeFile(files.certificateFile, second.certificate)
    await expect.poll(() => errors.at(-1)).toContain('key values mismatch')
    expect(served).toEqual([])
    await writeFile(files.keyFile, second.key)
    await expect.poll(() => served).toEqual([{ ...second, named: [], clientAuthorities: [], frontProxyAuthorities: [] }])
  } finally {
    following.close()
  }
})

test('reloads client CAs from changed files together with the fixed ones', async () => {
  const [first, second] = await Promise.all([pairFor('first.test'), pairFor('second.test')])
  const file = path.join(directory, 'client-ca.crt')
  await writeFile(file, first.certificate)
  const served: (readonly string[] | undefined)[] = []
  const following = new ServingFiles({
    pair: first,
    named: [],
    authorities: { fixed: ['own'], files: [file] },
    frontProxies: { fixed: [], files: [] },
    current: { ...first, named: [], clientAuthorities: ['own', first.certificate], frontProxyAuthorities: [] },
    intervalMs: 5,
  })
  following.follow({ serveCertificates: ({ clientAuthorities }) => void served.push(clientAuthorities) }, () => {})
  try {
    await writeFile(file, second.certificate)
    await expect.poll(() => served.at(-1)).toEqual(['own', second.certificate])
  } finally {
    following.close()
  }
})

test('reloads the CAs of front proxies, and reports the change', async () => {
  const [first, second] = await Promise.all([pairFor('first.test'), pairFor('second.test')])
  const file = path.join(directory, 'front-proxy-ca.crt')
  await writeFile(file, first.certificate)
  const following = new ServingFiles({
    pair: first,
    named: [],
    authorities: { fixed: ['own'], files: [] },
    frontProxies: { fixed: [], files: [file] },
    current: { ...first, named: [], clientAuthorities: ['own'], frontProxyAuthorities: [first.certificate] },
    intervalMs: 5,
  })
  const served: unknown[] = []
  const reported: unknown[] = []
  following.onChange(() => reported.push(following.current.frontProxyAuthorities))
  following.follow({ serveCertificates: ({ frontProxyAuthorities }) => void served.push(frontProxyAuthorities) }, () => {})
  try {
    await writeFile(file, second.certificate)
    await expect.poll(() => served.at(-1)).toEqual([second.certificate])
    expect(reported.at(-1)).toEqual([second.certificate])
  } finally {
    following.close()
  }
})
