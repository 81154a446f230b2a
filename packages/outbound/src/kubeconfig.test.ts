import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createManualClock } from '@keelson/apimachinery/testing'
import { readKubeconfig } from './kubeconfig.ts'
import { createKeyPair } from './test-server.fixture.ts'

const directory = mkdtempSync(path.join(tmpdir(), 'keelson-kubeconfig-'))
afterAll(() => rmSync(directory, { recursive: true }))
const pair = createKeyPair()
const write = (name: string, text: string): string => {
  writeFileSync(path.join(directory, name), text)
  return path.join(directory, name)
}
write('ca.pem', pair.certificate)
write('key.pem', pair.key)

const writeConfig = (cluster: string, user = '', context = '{cluster: c, user: u}'): string =>
  write(
    'config',
    `apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {${cluster}}}]\nusers: [{name: u, user: {${user}}}]\ncontexts: [{name: x, context: ${context}}]\ncurrent-context: x\n`,
  )
const server = 'server: "https://hooks.example.com/authorize"'

test('reads certificates relative to the kubeconfig file', async () => {
  const client = await readKubeconfig(
    writeConfig(`${server}, certificate-authority: ca.pem, tls-server-name: hook`, 'client-certificate: ca.pem, client-key: key.pem'),
  )
  expect(client).toMatchObject({
    url: 'https://hooks.example.com/authorize',
    tls: { authorities: pair.certificate, certificate: pair.certificate, key: pair.key, serverName: 'hook' },
  })
  expect(await client.headers()).toEqual({})
})

test.each([
  ['token: secret', { authorization: 'Bearer secret' }],
  ['username: a, password: b', { authorization: 'Basic YTpi' }],
  ['token: t, as: jane, as-groups: [a, b]', { authorization: 'Bearer t', 'impersonate-user': 'jane', 'impersonate-group': 'a, b' }],
])('authenticates with %s', async (user, headers) => {
  expect(await (await readKubeconfig(writeConfig(server, user))).headers()).toEqual(headers)
})

test('sends no credentials without TLS', async () => {
  expect(await (await readKubeconfig(writeConfig('server: "http://hooks.example.com"', 'token: secret'))).headers()).toEqual({})
})

test('reads a token file again after a minute', async () => {
  const clock = createManualClock()
  write('token', 'one\n')
  const client = await readKubeconfig(writeConfig(server, 'tokenFile: token'), { clock })
  expect(await client.headers()).toEqual({ authorization: 'Bearer one' })
  write('token', 'two')
  expect(await client.headers()).toEqual({ authorization: 'Bearer one' })
  clock.advance(60_000)
  expect(await client.headers()).toEqual({ authorization: 'Bearer two' })
})

test('reads a client certificate again after five minutes, and keeps it while the files do not match', async () => {
  const clock = createManualClock()
  const [first, second] = [createKeyPair(), createKeyPair()]
  const writePair = ({ certificate, key }: typeof first): void => {
    write('client.pem', certificate)
    write('client.key', key)
  }
  writePair(first)
  const client = await readKubeconfig(writeConfig(server, 'client-certificate: client.pem, client-key: client.key'), { clock })
  writePair(second)
  expect(await client.readCertificate?.()).toEqual(first)
  write('client.key', first.key)
  clock.advance(300_000)
  expect(await client.readCertificate?.()).toEqual(first)
  writePair(second)
  expect(await client.readCertificate?.()).toEqual(first)
  clock.advance(300_000)
  expect(await client.readCertificate?.()).toEqual(second)
})

test('gets credentials from a plugin next to the kubeconfig, until they are rejected', async () => {
  const apiVersion = 'client.authentication.k8s.io/v1beta1'
  const credential = JSON.stringify({ kind: 'ExecCredential', apiVersion, status: { token: 'TOKEN' } })
  const script = `#!/bin/sh\necho run >> ${directory}/runs\necho "$KUBERNETES_EXEC_INFO" > ${directory}/info\necho '${credential}' | sed "s/TOKEN/$(wc -l < ${directory}/runs)/"\n`
  chmodSync(write('plugin.sh', script), 0o755)
  const exec = `exec: {apiVersion: ${apiVersion}, command: ./plugin.sh, provideClusterInfo: true}`
  const client = await readKubeconfig(writeConfig(`${server}, certificate-authority: ca.pem`, exec))
  for (let i = 0; i < 2; i++) expect(await client.headers()).toEqual({ authorization: 'Bearer 1' })
  const cluster = {
    server: 'https://hooks.example.com/authorize',
    'certificate-authority-data': Buffer.from(pair.certificate).toString('base64'),
  }
  expect(JSON.parse(readFileSync(path.join(directory, 'info'), 'utf8'))).toMatchObject({ spec: { interactive: false, cluster } })
  client.rejectCredentials?.()
  expect(await client.headers()).toEqual({ authorization: 'Bearer 2' })
  expect(await client.readCertificate?.()).toBeUndefined()
  const withToken = await readKubeconfig(writeConfig(server, `${exec}, token: static`))
  expect(await withToken.headers()).toEqual({ authorization: 'Bearer static' })
})

test('uses HTTPS for a server without a scheme if TLS is configured', async () => {
  expect((await readKubeconfig(writeConfig('server: "a:80"'))).url).toBe('http://a:80')
  expect((await readKubeconfig(writeConfig('server: "a:80", insecure-skip-tls-verify: true'))).url).toBe('https://a:80')
})

describe('an invalid kubeconfig', () => {
  test.each([
    ['an unknown context', writeConfig, ['', '', '{cluster: d, user: u}'], 'cluster "d" does not exist'],
    ['an unknown user', writeConfig, [server, '', '{cluster: c, user: v}'], 'auth info "v" does not exist'],
    [
      'an empty cluster',
      writeConfig,
      [''],
      'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
    ],
    ['no server', writeConfig, ['certificate-authority: ca.pem'], 'invalid configuration: no server found for cluster "c"'],
    [
      'an unreadable authority',
      writeConfig,
      [`${server}, certificate-authority: nope`],
      `invalid configuration: unable to read certificate-authority nope for c due to open ${directory}/nope: no such file or directory`,
    ],
    [
      'two problems',
      writeConfig,
      [server, 'token: a, username: b, client-certificate: ca.pem'],
      'invalid configuration: [client-key-data or client-key must be specified for u to use the clientCert authentication method., more than one authentication method found for u; found [token basicAuth], only one is allowed]',
    ],
    [
      'a plugin without members',
      writeConfig,
      [server, 'exec: {env: [{value: a}]}'],
      'invalid configuration: [command must be specified for u to use exec authentication plugin, apiVersion must be specified for u to use exec authentication plugin, env variable name must be specified for u to use exec authentication plugin]',
    ],
    [
      'a plugin without a mode',
      writeConfig,
      [server, 'exec: {command: a, apiVersion: client.authentication.k8s.io/v1}'],
      'invalid configuration: interactiveMode must be specified for u to use exec authentication plugin',
    ],
    [
      'a plugin with an unknown mode',
      writeConfig,
      [server, 'exec: {command: a, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Maybe}'],
      'invalid configuration: invalid interactiveMode for u: "Maybe"',
    ],
    [
      'an authentication provider',
      writeConfig,
      [server, 'auth-provider: {name: a}'],
      'invalid configuration: auth-provider is not supported: user "u"',
    ],
  ] as const)('is rejected: %s', async (_title, make, parts, message) => {
    await expect(readKubeconfig(make(...(parts as [string])))).rejects.toThrow(new Error(message))
  })

  test('is rejected if the file is missing or not YAML', async () => {
    await expect(readKubeconfig('/nowhere/config')).rejects.toThrow('stat /nowhere/config: no such file or directory')
    await expect(readKubeconfig(write('bad', 'a: b: c'))).rejects.toThrow(`error loading config file "${directory}/bad": `)
  })
})
