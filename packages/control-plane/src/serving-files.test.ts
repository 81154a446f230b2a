import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connect } from 'node:tls'
import { createMemoryCertificateStore, openOwnCertificates } from '@keelson/server'
import type { KeyPair } from '@keelson/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'
import { ServingFiles, readPair } from './serving-files.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-serving-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

async function createPair(name: string): Promise<KeyPair> {
  return (await openOwnCertificates({ store: createMemoryCertificateStore(), names: [name] })).serving
}

async function write(name: string, pair: KeyPair): Promise<{ certificateFile: string; keyFile: string }> {
  const files = { certificateFile: path.join(directory, `${name}.crt`), keyFile: path.join(directory, `${name}.key`) }
  await writeFile(files.certificateFile, pair.certificate)
  await writeFile(files.keyFile, pair.key)
  return files
}

function readServedCertificate(url: string, servername: string): Promise<string> {
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
  const [standard, a, wild] = await Promise.all(['standard.test', 'a.example.com', 'wild.test'].map(createPair))
  const chain = await createServerChain({
    serving: {
      certificateFiles: await write('standard', standard!),
      namedCertificateFiles: [await write('a', a!), { ...(await write('wild', wild!)), names: ['*.example.com'] }],
    },
  })
  try {
    await chain.listen()
    expect(await readServedCertificate(chain.url, 'A.example.com')).toBe(a!.certificate)
    expect(await readServedCertificate(chain.url, 'b.example.com')).toBe(wild!.certificate)
    expect(await readServedCertificate(chain.url, 'b.c.example.com')).toBe(standard!.certificate)
  } finally {
    await chain.close()
  }
})

test('serves changed certificate files, but not a certificate with another key', async () => {
  const [first, second] = await Promise.all([createPair('first.test'), createPair('second.test')])
  const files = await write('changing', first)
  const servedPairs: KeyPair[] = []
  const errors: string[] = []
  const servingFiles = new ServingFiles({
    pair: files,
    named: [],
    authorities: { fixed: [], files: [] },
    frontProxies: { fixed: [], files: [] },
    current: { ...(await readPair(files)), named: [], clientAuthorities: [], frontProxyAuthorities: [] },
    intervalMs: 5,
  })
  servingFiles.follow(
    {
      serveCertificates: (pair) => {
        if (pair.certificate !== second.certificate || pair.key !== second.key) throw new Error('key values mismatch')
        servedPairs.push(pair)
      },
    },
    (text) => errors.push(text),
  )
  try {
    await writeFile(files.certificateFile, second.certificate)
    await expect.poll(() => errors.at(-1)).toContain('key values mismatch')
    expect(servedPairs).toEqual([])
    await writeFile(files.keyFile, second.key)
    await expect.poll(() => servedPairs).toEqual([{ ...second, named: [], clientAuthorities: [], frontProxyAuthorities: [] }])
  } finally {
    servingFiles.close()
  }
})

test('reloads client CAs from changed files together with the fixed ones', async () => {
  const [first, second] = await Promise.all([createPair('first.test'), createPair('second.test')])
  const file = path.join(directory, 'client-ca.crt')
  await writeFile(file, first.certificate)
  const servedAuthorities: (readonly string[] | undefined)[] = []
  const servingFiles = new ServingFiles({
    pair: first,
    named: [],
    authorities: { fixed: ['own'], files: [file] },
    frontProxies: { fixed: [], files: [] },
    current: { ...first, named: [], clientAuthorities: ['own', first.certificate], frontProxyAuthorities: [] },
    intervalMs: 5,
  })
  servingFiles.follow({ serveCertificates: ({ clientAuthorities }) => void servedAuthorities.push(clientAuthorities) }, () => {})
  try {
    await writeFile(file, second.certificate)
    await expect.poll(() => servedAuthorities.at(-1)).toEqual(['own', second.certificate])
  } finally {
    servingFiles.close()
  }
})

test('reloads the CAs of front proxies, and reports the change', async () => {
  const [first, second] = await Promise.all([createPair('first.test'), createPair('second.test')])
  const file = path.join(directory, 'front-proxy-ca.crt')
  await writeFile(file, first.certificate)
  const servingFiles = new ServingFiles({
    pair: first,
    named: [],
    authorities: { fixed: ['own'], files: [] },
    frontProxies: { fixed: [], files: [file] },
    current: { ...first, named: [], clientAuthorities: ['own'], frontProxyAuthorities: [first.certificate] },
    intervalMs: 5,
  })
  const servedChanges: unknown[] = []
  const reported: unknown[] = []
  servingFiles.onChange(() => reported.push(servingFiles.current.frontProxyAuthorities))
  servingFiles.follow({ serveCertificates: ({ frontProxyAuthorities }) => void servedChanges.push(frontProxyAuthorities) }, () => {})
  try {
    await writeFile(file, second.certificate)
    await expect.poll(() => servedChanges.at(-1)).toEqual([second.certificate])
    expect(reported.at(-1)).toEqual([second.certificate])
  } finally {
    servingFiles.close()
  }
})
