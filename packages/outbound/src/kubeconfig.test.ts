import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
    ['a plugin', writeConfig, [server, 'exec: {command: a}'], 'invalid configuration: exec is not supported: user "u"'],
  ] as const)('is rejected: %s', async (_title, make, parts, message) => {
    await expect(readKubeconfig(make(...(parts as [string])))).rejects.toThrow(new Error(message))
  })

  test('is rejected if the file is missing or not YAML', async () => {
    await expect(readKubeconfig('/nowhere/config')).rejects.toThrow('stat /nowhere/config: no such file or directory')
    await expect(readKubeconfig(write('bad', 'a: b: c'))).rejects.toThrow(`error loading config file "${directory}/bad": `)
  })
})
