import { X509Certificate } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { request } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServerChain } from '@keelson/control-plane'
import type { ServerChain } from '@keelson/control-plane'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const entry = fileURLToPath(new URL('../src/main.ts', import.meta.url))

let directory: string
let chain: ServerChain
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-kubeconfig-'))
  chain = await createServerChain({
    storage: { type: 'memory' },
    serving: { certificates: { directory: path.join(directory, 'certs') }, kubeconfigPath: path.join(directory, 'admin.kubeconfig') },
    controllers: ['none'],
    log: () => {},
  })
  await chain.listen()
  await chain.ready
})
afterAll(async () => {
  await chain.close()
  await rm(directory, { recursive: true })
})

function run(...flags: readonly string[]): { readonly code: number | null; readonly out: string; readonly errors: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, 'kubeconfig', ...flags], { cwd: directory, encoding: 'utf8' })
  return { code: status, out: stdout, errors: stderr }
}

const readData = (kubeconfig: string, name: string): string =>
  Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)![1]!, 'base64').toString()

/** Sends a request with a kubeconfig and returns the user name that the server sees. */
async function requestWhoAmI(kubeconfig: string): Promise<unknown> {
  const clientRequest = request(`${/server: (\S+)/.exec(kubeconfig)![1]!}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
    method: 'POST',
    agent: false,
    ca: readData(kubeconfig, 'certificate-authority-data'),
    cert: readData(kubeconfig, 'client-certificate-data'),
    key: readData(kubeconfig, 'client-key-data'),
    headers: { 'content-type': 'application/json' },
  })
  clientRequest.end(JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }))
  const answer = await new Promise<IncomingMessage>((resolve, reject) => clientRequest.on('response', resolve).on('error', reject))
  return JSON.parse(Buffer.concat(await answer.toArray()).toString())
}

describe('keelson kubeconfig', () => {
  test('keelson kubeconfig signs a certificate that the running server accepts', async () => {
    const { code, out, errors } = run('--data-dir=.', '--user', 'alice', '--group=system:masters', '--group', 'dev,ops', '--uid=7')
    expect([code, errors]).toEqual([0, ''])
    expect(await requestWhoAmI(out)).toMatchObject({
      status: { userInfo: { username: 'alice', uid: '7', groups: ['system:masters', 'dev', 'ops', 'system:authenticated'] } },
    })
    const { validTo } = new X509Certificate(readData(out, 'client-certificate-data'))
    expect((Date.parse(validTo) - Date.now()) / 86_400_000).toBeCloseTo(365, 1)
  })

  test('keelson kubeconfig writes a file that only its owner can read, with special characters in the name and a lifetime', async () => {
    const { code, out } = run('--data-dir=.', '--user=a: b "ü"', '--group=system:masters', '--expires=90m', '--output=user.kubeconfig')
    expect([code, out]).toEqual([0, ''])
    const file = path.join(directory, 'user.kubeconfig')
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    const content = await readFile(file, 'utf8')
    expect(content).toContain('- name: "a: b \\"ü\\""\n')
    expect(await requestWhoAmI(content)).toMatchObject({ status: { userInfo: { username: 'a: b "ü"' } } })
    const { validTo } = new X509Certificate(readData(content, 'client-certificate-data'))
    expect(Date.parse(validTo) - Date.now()).toBeLessThanOrEqual(90 * 60_000)
  })

  test.each([
    [['--data-dir=.'], 2, '--user is missing'],
    [['--data-dir=.', '--user=a', '--uid='], 2, '--uid must not be empty'],
    [['--data-dir=.', '--user=a', '--expires=0'], 2, '--expires must be longer than 0'],
    [['--data-dir=.', '--user=a', '--usr=b'], 2, 'unknown flag --usr; did you mean --user?'],
    [['--user=a'], 2, 'there is no admin.kubeconfig in ./.keelson'],
    [['--user=a', '--server=https://127.0.0.1:1'], 1, 'there is no certificate authority: neither ca.crt nor ca.key exists'],
  ])('%j ends with %d: %s', (flags, code, message) => {
    const result = run(...flags)
    expect([result.code, result.out]).toEqual([code, ''])
    expect(result.errors).toContain(message)
  })
})
