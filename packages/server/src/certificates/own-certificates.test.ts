import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDirectoryCertificateStore, createMemoryCertificateStore } from './certificate-store.ts'
import { computeFirstServiceIp, parseIpBytes } from './ip-bytes.ts'
import { openOwnCertificates } from './own-certificates.ts'
import { openOwnTokenKey } from './own-token-key.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-certs-'))
})
afterEach(() => rm(directory, { recursive: true }))

const day = 24 * 3600 * 1000

test('the serving certificate has every name and is signed by the authority', async () => {
  const { ca, serving, admin } = await openOwnCertificates({
    store: createMemoryCertificateStore(),
    names: ['10.0.0.1', '0.0.0.0', 'api.example.org', 'fd00::1'],
  })
  const authority = new X509Certificate(ca.certificate)
  const certificate = new X509Certificate(serving.certificate)
  expect(authority.ca).toBe(true)
  expect(certificate.verify(authority.publicKey)).toBe(true)
  expect(certificate.checkIssued(authority)).toBe(true)
  for (const name of ['localhost', 'kubernetes', 'kubernetes.default.svc.cluster.local', 'api.example.org'])
    expect(certificate.checkHost(name)).toBe(name)
  for (const address of ['127.0.0.1', '::1', '10.0.0.1', 'fd00::1']) expect(certificate.checkIP(address)).toBeDefined()
  expect(certificate.checkIP('0.0.0.0')).toBeUndefined()
  expect(new X509Certificate(admin.certificate).subject).toBe('O=system:masters\nCN=kubernetes-admin')
})

test('reuses stored certificates, and keeps keys readable only for the owner', async () => {
  const store = createDirectoryCertificateStore(path.join(directory, 'certs'))
  const first = await openOwnCertificates({ store })
  expect(await openOwnCertificates({ store })).toEqual(first)
  expect((await stat(path.join(directory, 'certs/ca.key'))).mode & 0o777).toBe(0o600)
})

test('a store in memory keeps checked certificates for a day, by names', async () => {
  const store = createMemoryCertificateStore()
  let now = Date.now()
  const load = (names: readonly string[] = []): Promise<unknown> => openOwnCertificates({ store, names, now: () => now })
  const first = await load()
  expect(await load()).toBe(first)
  expect(await load(['other.example.org'])).not.toEqual(first)
  now += day
  expect(await load()).not.toBe(first)
  now -= 2 * day
  expect(await load()).not.toBe(first)
})

test('servers that start at the same time with one store get the same CA and the same token key', async () => {
  const store = createMemoryCertificateStore()
  const loads = Array.from({ length: 3 }, (_, i) =>
    Promise.all([openOwnCertificates({ store, names: [`${i}.example.org`] }), openOwnTokenKey(store)]),
  )
  const results = await Promise.all(loads)
  expect(new Set(results.map(([{ ca }]) => ca.certificate)).size).toBe(1)
  expect(new Set(results.map(([, key]) => key)).size).toBe(1)
})

test('replaces a certificate that expires soon, lacks a required name, or is damaged, and keeps the CA', async () => {
  const store = createDirectoryCertificateStore(directory)
  const first = await openOwnCertificates({ store })
  const later = await openOwnCertificates({ store, now: () => Date.now() + 340 * day })
  expect(later.ca).toEqual(first.ca)
  expect(later.serving).not.toEqual(first.serving)
  const renewed = await openOwnCertificates({ store, names: ['new.example.org'] })
  expect(new X509Certificate(renewed.serving.certificate).checkHost('new.example.org')).toBe('new.example.org')
  await writeFile(path.join(directory, 'admin.crt'), 'rubbish')
  expect((await openOwnCertificates({ store })).admin).not.toEqual(first.admin)
  expect(await readFile(path.join(directory, 'ca.crt'), 'utf8')).toBe(first.ca.certificate)
})

test('creates a new CA and new certificates only if neither file of the old CA exists', async () => {
  const store = createDirectoryCertificateStore(directory)
  const first = await openOwnCertificates({ store })
  await rm(path.join(directory, 'ca.key'))
  await rm(path.join(directory, 'ca.crt'))
  const second = await openOwnCertificates({ store })
  expect(second.serving).not.toEqual(first.serving)
  expect(new X509Certificate(second.admin.certificate).verify(new X509Certificate(second.ca.certificate).publicKey)).toBe(true)
})

test.each<[string, string, string | undefined, string]>([
  ['a certificate that is none', 'ca.crt', 'rubbish', 'ca.crt is damaged'],
  ['an empty key', 'ca.key', '', 'ca.key is damaged'],
  ['no certificate', 'ca.crt', undefined, 'ca.crt is missing next to ca.key'],
  ['no key', 'ca.key', undefined, 'ca.key is missing next to ca.crt'],
  ['the key of another certificate', 'ca.key', 'admin.key', 'ca.key is not the key of ca.crt'],
  ['the certificate of no authority', 'ca.crt', 'admin.crt', 'ca.crt is not the certificate of an authority'],
])('rejects an authority with %s and leaves its files unchanged', async (_what, name, content, message) => {
  const store = createDirectoryCertificateStore(directory)
  await openOwnCertificates({ store })
  const file = path.join(directory, name)
  if (content === undefined) await rm(file)
  else await writeFile(file, content.startsWith('admin') ? await readFile(path.join(directory, content)) : content)
  const readFiles = async (): Promise<string[]> =>
    Promise.all((await readdir(directory)).map((one) => readFile(path.join(directory, one), 'utf8')))
  const oldFiles = await readFiles()
  await expect(openOwnCertificates({ store })).rejects.toThrow(message)
  expect(await readFiles()).toEqual(oldFiles)
})

test.each([
  ['1970', Date.UTC(1970, 0, 1)],
  ['2099', Date.UTC(2099, 0, 1)],
])('keeps the key and validity of the CA after a start with the clock in %s', async (_year, wrong) => {
  const store = createDirectoryCertificateStore(directory)
  const first = await openOwnCertificates({ store })
  const during = await openOwnCertificates({ store, now: () => wrong })
  const renewed = await openOwnCertificates({ store })
  const [trusted, authority] = [new X509Certificate(first.ca.certificate), new X509Certificate(renewed.ca.certificate)]
  expect(authority.publicKey.equals(trusted.publicKey)).toBe(true)
  expect(Date.parse(authority.validFrom)).toBeLessThan(Date.now())
  expect(Date.parse(authority.validTo)).toBeGreaterThan(Date.now())
  for (const [made, now] of [
    [during, wrong],
    [renewed, Date.now()],
  ] as const) {
    for (const { certificate } of [made.serving, made.admin]) {
      const leaf = new X509Certificate(certificate)
      expect(leaf.checkIssued(trusted) && leaf.verify(trusted.publicKey)).toBe(true)
      expect([Date.parse(leaf.validFrom) < now, Date.parse(leaf.validTo) > now]).toEqual([true, true])
    }
  }
})

test('reports created and renewed certificates, with the reason', async () => {
  const store = createDirectoryCertificateStore(directory)
  const notes: string[] = []
  const run = async (now: number): Promise<string[]> => {
    await openOwnCertificates({ store, now: () => now, onNote: ({ kind, name }) => notes.push(`${kind} ${name}`) })
    return notes.splice(0)
  }
  const now = Date.now()
  expect(await run(now)).toEqual(['made ca', 'made apiserver', 'made admin'])
  expect(await run(now)).toEqual([])
  expect(await run(now + 340 * day)).toEqual(['renewed apiserver', 'renewed admin'])
  expect(await run(0)).toEqual(['not yet valid ca', 'renewed apiserver', 'renewed admin'])
  expect(await run(now + 3640 * day)).toEqual(['renewed ca', 'renewed apiserver', 'renewed admin'])
})

test('converts addresses to bytes', () => {
  expect([...parseIpBytes('10.0.0.255')]).toEqual([10, 0, 0, 255])
  expect(parseIpBytes('::').equals(Buffer.alloc(16))).toBe(true)
  expect(parseIpBytes('::ffff:1.2.3.4').toString('hex')).toBe('00000000000000000000ffff01020304')
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const bytes = parseIpBytes(address)
      expect(bytes).toHaveLength(16)
      const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16))
      expect(new URL(`http://[${groups.join(':')}]/`).host).toBe(new URL(`http://[${address}]/`).host)
    }),
  )
})

test.each([
  ['10.0.0.0/16', '10.0.0.1'],
  ['10.96.5.9/12', '10.96.0.1'],
  ['fd00::/112', undefined],
  ['nonsense', undefined],
])('the first service address of %s is %s', (cidr, address) => {
  expect(computeFirstServiceIp(cidr)).toBe(address)
})
