import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ExecPlugin } from './exec-plugin.ts'
import type { ExecPluginConfig } from './exec-plugin.ts'
import { createKeyPair } from './test-server.fixture.ts'

const directory = mkdtempSync(path.join(tmpdir(), 'keelson-exec-'))
afterAll(() => rmSync(directory, { recursive: true }))
const apiVersion = 'client.authentication.k8s.io/v1'

/** Creates a program that counts its runs in the file `runs`, and then runs the script. */
function createProgram(name: string, script: string): string {
  const file = path.join(directory, name)
  writeFileSync(file, `#!/bin/sh\necho run >> ${file}.runs\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}
const countRuns = (program: string): number => readFileSync(`${program}.runs`, 'utf8').split('\n').length - 1

const createPlugin = (command: string, config: Partial<ExecPluginConfig> = {}, now = () => 0): ExecPlugin =>
  new ExecPlugin(
    { apiVersion, command, args: [], env: [], interactiveMode: 'Never', installHint: '', cluster: undefined, ...config },
    {
      now,
      after: () => () => {},
    },
  )
const print = (status: object, version = apiVersion): string =>
  `cat <<'END'\n${JSON.stringify({ kind: 'ExecCredential', apiVersion: version, status })}\nEND`

test('a plugin gets its arguments, its environment and the cluster', async () => {
  const program = createProgram('inputs', `echo "$1 $COLOR $KUBERNETES_EXEC_INFO" > ${directory}/seen\n${print({ token: 'a' })}`)
  const plugin = createPlugin(program, { args: ['first'], env: [{ name: 'COLOR', value: 'red' }], cluster: { server: 'https://a' } })
  expect(await plugin.get()).toEqual({ token: 'a', pair: undefined })
  const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { interactive: false, cluster: { server: 'https://a' } } })
  expect(readFileSync(path.join(directory, 'seen'), 'utf8')).toBe(`first red ${info}\n`)
})

test('credentials are kept until they expire or are rejected', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const program = createProgram('expiring', print({ token: 'a', expirationTimestamp: '2026-01-01T01:00:00Z' }))
  const plugin = createPlugin(program, {}, () => now)
  const [first] = await Promise.all([plugin.get(), plugin.get()])
  expect(countRuns(program)).toBe(1)
  now += 3_600_001
  const second = await plugin.get()
  expect(countRuns(program)).toBe(2)
  plugin.reject(first)
  now = Date.parse('2026-01-01T00:00:00Z')
  await plugin.get()
  expect(countRuns(program)).toBe(2)
  plugin.reject(second)
  await plugin.get()
  expect(countRuns(program)).toBe(3)
})

test('a plugin returns a certificate', async () => {
  const { certificate, key } = createKeyPair()
  const status = { clientCertificateData: certificate, clientKeyData: key }
  expect(await createPlugin(createProgram('certificate', print(status))).get()).toEqual({ token: '', pair: { certificate, key } })
  const other = print({ ...status, clientKeyData: createKeyPair().key })
  await expect(createPlugin(createProgram('mismatch', other)).get()).rejects.toThrow(
    'getting credentials: failed parsing client key/certificate: tls: private key does not match public key',
  )
})

// The messages are those of client-go.
test.each([
  ['exit 3', /^exec: executable .*\/fails-0 failed with exit code 3$/],
  ['echo nonsense', /^decoding stdout: couldn't get version\/kind; json parse error: /],
  ['echo "{}"', /^decoding stdout: Object 'Kind' is missing in '\{\}\n'$/],
  ['echo \'{"kind":"ExecCredential","apiVersion":"v1"}\'', /^decoding stdout: no kind "ExecCredential" is registered for version "v1"$/],
  [
    print({ token: 'a' }, 'client.authentication.k8s.io/v1beta1'),
    /^exec plugin is configured to use API version client.authentication.k8s.io\/v1, plugin returned version client.authentication.k8s.io\/v1beta1$/,
  ],
  [`echo '{"kind":"ExecCredential","apiVersion":"${apiVersion}"}'`, /^exec plugin didn't return a status field$/],
  [print({}), /^exec plugin didn't return a token or cert\/key pair$/],
  [print({ clientKeyData: 'a' }), /^exec plugin returned only certificate or key, not both$/],
  ['head -c 2000000 /dev/zero', /wrote more than 1048576 bytes$/],
])('a plugin that runs %j fails', async (script, message) => {
  const program = createProgram(`fails-${script === 'exit 3' ? 0 : 1}`, script)
  const error = await createPlugin(program)
    .get()
    .catch((reason: Error) => reason.message.replace(/^getting credentials: /, ''))
  expect(error).toMatch(message)
})

test('a plugin that is missing, interactive or of an unknown version fails', async () => {
  await expect(createPlugin('no-such-program', { installHint: 'Install it.' }).get()).rejects.toThrow(
    /^getting credentials: exec: executable no-such-program not found\n\nIt looks like[^]*\n\nInstall it\.$/,
  )
  await expect(createPlugin('a', { interactiveMode: 'Always' }).get()).rejects.toThrow(
    'getting credentials: exec plugin cannot support interactive mode: standard input is not a terminal',
  )
  expect(() => createPlugin('a', { apiVersion: 'v1' })).toThrow('exec plugin: invalid apiVersion "v1"')
})
