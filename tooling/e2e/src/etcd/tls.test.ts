import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { openEtcd3 } from '@keelson/backend-etcd3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'

const binary = findEtcd()
const openssl = findOpenssl()

describe.skipIf(binary === undefined || openssl === undefined)('etcd with TLS and client certificates', () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-etcd-tls-'))
  const locateFile = (name: string): string => path.join(directory, name)
  const run = (...args: string[]): void => void execFileSync(openssl ?? '', args, { cwd: directory, stdio: 'ignore' })
  let etcd: EtcdProcess

  beforeAll(async () => {
    const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    run('req', '-x509', ...newKey, '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.pem')
    writeFileSync(locateFile('extensions'), 'subjectAltName=IP:127.0.0.1,DNS:etcd.internal\nextendedKeyUsage=serverAuth,clientAuth\n')
    run('req', ...newKey, '-subj', '/CN=member', '-keyout', 'member.key', '-out', 'member.csr')
    run(
      'x509',
      '-req',
      '-in',
      'member.csr',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
      '-CAcreateserial',
      '-extfile',
      'extensions',
      '-out',
      'member.pem',
    )
    etcd = await startEtcd(binary ?? '', {
      tls: { authority: locateFile('ca.pem'), certificate: locateFile('member.pem'), key: locateFile('member.key') },
    })
  })
  afterAll(async () => {
    await etcd[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true })
  })
  const files = { trustedCAFile: locateFile('ca.pem'), certFile: locateFile('member.pem'), keyFile: locateFile('member.key') }

  const connectToIt = async (): Promise<Socket> => {
    const socket = connect(etcd.port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }

  test('connects with a CA file, a certificate and a key', async () => {
    await using backend = await openEtcd3({ transport: { serverList: [etcd.url], ...files } })
    expect((await backend.get('a')).revision).toBeGreaterThan(0)
  })

  test('fails without a client certificate, and without the certificate authority', async () => {
    const { trustedCAFile } = files
    for (const some of [{ trustedCAFile }, {}]) {
      const logged: unknown[] = []
      const log = (...line: unknown[]): unknown => logged.push(line)
      await expect(openEtcd3({ transport: { serverList: [etcd.url], ...some }, connectTimeout: 300, log })).rejects.toMatchObject({
        name: 'UnavailableError',
      })
      // The server logs when it starts to wait, once for each reason.
      expect(logged[0]).toEqual([0, 'Waiting for etcd', { server: etcd.url, err: expect.any(String) as string, timeout: '0.3s' }])
      expect(new Set(logged.map((line) => JSON.stringify(line))).size).toBe(logged.length)
    }
    await expect(openEtcd3({ transport: { serverList: [etcd.url], certFile: files.certFile } })).rejects.toThrow(/the key is missing/)
  })

  test('fails immediately for invalid files', async () => {
    run('genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-out', 'other.key')
    writeFileSync(locateFile('text'), 'text')
    const cases: [wrong: Partial<typeof files>, message: RegExp][] = [
      [{ keyFile: locateFile('other.key') }, /^the client key for etcd in .*other\.key does not match the certificate in .*member\.pem \(/],
      [{ keyFile: locateFile('text') }, /^the client key for etcd in .*text is not a PEM key \(/],
      [{ certFile: locateFile('text') }, /^the client certificate for etcd in .*text is not PEM \(/],
      [{ trustedCAFile: locateFile('none') }, /^cannot read a TLS file for etcd: ENOENT: .*none'$/],
    ]
    for (const [wrong, message] of cases)
      await expect(openEtcd3({ transport: { serverList: [etcd.url], ...files, ...wrong } }), String(message)).rejects.toMatchObject({
        name: 'TransportError',
        message: expect.stringMatching(message) as string,
      })
  })

  test('fails if its certificate is for another name or address', async () => {
    for (const server of ['https://etcd.example:2379', 'https://127.0.0.2:2379']) {
      const opening = openEtcd3({ transport: { serverList: [server], ...files }, connectTimeout: 300, egress: connectToIt })
      await expect(opening).rejects.toMatchObject({
        name: 'UnavailableError',
        message: expect.stringContaining('does not match') as string,
      })
    }
  })

  test('works through the egress selector, for a server name and for an address', async () => {
    for (const server of ['https://etcd.internal:2379', 'https://127.0.0.1:2379']) {
      await using backend = await openEtcd3({ transport: { serverList: [server], ...files }, egress: connectToIt })
      expect((await backend.get('a')).revision).toBeGreaterThan(0)
    }
  })
})
