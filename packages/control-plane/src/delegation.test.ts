import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { jsonKinds } from '@keelson/api'
import type { ConfigMap } from '@keelson/api/core/v1'
import { defineApiGroup, defineResource } from '@keelson/registry'
import { createMemoryCertificateStore, createKubeconfig, openOwnCertificates } from '@keelson/server'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ServerChainOptions } from './options/server-chain-options.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const groupVersion = { group: 'example.com', version: 'v1' }
const widgets = defineResource({ ...groupVersion, kind: 'Widget', plural: 'widgets', scope: 'Namespaced', strategy: {} })
const example = defineApiGroup({
  name: 'example.com',
  priority: 100,
  types: [jsonKinds(groupVersion, [{ kind: 'Widget' }])],
  resources: [widgets],
})
const widgetsPath = '/apis/example.com/v1/namespaces/default/widgets'
const published = { namespace: 'kube-system', name: 'extension-apiserver-authentication' }

let directory: string
let host: ServerChain
let kubeconfigFile: string
const locateFile = (name: string): string => path.join(directory, name)
const readCertificate = async (name: string) => ({
  cert: await readFile(locateFile(`${name}.crt`), 'utf8'),
  key: await readFile(locateFile(`${name}.key`), 'utf8'),
})

beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'keelson-delegation-'))
  kubeconfigFile = locateFile('host.kubeconfig')
  await writeFile(locateFile('tokens.csv'), 'alicetoken,alice,alice-uid,"dev"\n')
  host = await startChain({
    serving: { kubeconfigPath: kubeconfigFile, certificates: { directory } },
    authentication: { tokenFile: locateFile('tokens.csv') },
    log: () => {},
  })
  const role = { metadata: { name: 'widgets' }, rules: [{ apiGroups: ['example.com'], resources: ['widgets'], verbs: ['list'] }] }
  const subjects = [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'dev' }]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'widgets' }
  const findResource = (resource: string) => host.client.resource({ group: 'rbac.authorization.k8s.io', resource })!
  await findResource('roles').create('default', role)
  await findResource('rolebindings').create('default', { metadata: { name: 'widgets' }, subjects, roleRef } as never)
})
afterAll(async () => {
  await host.close()
  await rm(directory, { recursive: true })
})

let extension: ServerChain | undefined
afterEach(() => extension?.close())

async function startExtension(options: ServerChainOptions = {}): Promise<ServerChain> {
  return (extension = await startChain({ groups: [example], delegation: { kubeconfigFile }, log: () => {}, ...options }))
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  /** Certificate and key of the client. */
  readonly pair?: { readonly cert: string; readonly key: string }
  readonly method?: string
}

async function ask(target: string, { headers = {}, pair, method = 'GET' }: Sent = {}): Promise<{ status: number; text: string }> {
  const clientRequest = request(`${extension!.url}${target}`, {
    method,
    ca: extension!.certificateAuthority,
    headers,
    agent: false,
    ...pair,
  }).end()
  const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage]
  return { status: answer.statusCode!, text: Buffer.concat(await answer.toArray()).toString() }
}

const alice = { headers: { authorization: 'Bearer alicetoken' } }

test('another server authenticates tokens and authorizes requests', async () => {
  await startExtension()
  expect(await ask(widgetsPath, alice)).toMatchObject({ status: 200 })
  expect((await ask(widgetsPath, { ...alice, method: 'POST' })).text).toContain(
    'widgets.example.com is forbidden: User \\"alice\\" cannot create resource \\"widgets\\" in API group \\"example.com\\" in the namespace \\"default\\"',
  )
  expect(await ask(widgetsPath, { headers: { authorization: 'Bearer unknown' } })).toMatchObject({ status: 401 })
  expect((await ask(widgetsPath)).text).toContain('User \\"system:anonymous\\" cannot list')
  const { text } = await ask('/metrics', { headers: { authorization: `Bearer ${host.adminToken}` } })
  expect(text).toMatch(/apiserver_delegated_authn_request_total\{code="201"\} 3\n/)
  expect(text).toMatch(/apiserver_delegated_authz_request_total\{code="201"\} 3\n/)
  expect(text).toMatch(/apiserver_delegated_authz_request_duration_seconds_count\{code="201"\} 3\n/)
})

test('answers are cached, and some requests need none', async () => {
  const lonely = await startChain({ serving: { kubeconfigPath: locateFile('lonely.kubeconfig') } })
  await startExtension({ delegation: { kubeconfigFile: locateFile('lonely.kubeconfig'), tokenTtlMs: 0 } })
  const adminHeaders = { headers: { authorization: `Bearer ${lonely.adminToken}` } }
  expect(await ask('/metrics', { headers: { authorization: `Bearer ${extension!.adminToken}` } })).toMatchObject({ status: 200 })
  expect(await ask(widgetsPath)).toMatchObject({ status: 403 })
  expect(await ask(widgetsPath, adminHeaders)).toMatchObject({ status: 200 })
  await lonely.close()
  // The decision about the anonymous user is cached. Health checks and administrators need no decision.
  expect(await ask(widgetsPath)).toMatchObject({ status: 403 })
  expect(await ask('/readyz')).toMatchObject({ status: 200 })
  expect(await ask('/version')).toMatchObject({ status: 500 })
  // The user of a token is not cached here.
  expect(await ask(widgetsPath, adminHeaders)).toMatchObject({ status: 401 })
})

describe('the published settings', () => {
  const user = { 'x-remote-user': 'alice', 'x-remote-group': 'dev' }

  test('name the front proxies that may name users, and the CA of client certificates', async () => {
    await startExtension()
    const proxy = await readCertificate('front-proxy-client')
    expect(await ask(widgetsPath, { headers: user, pair: proxy })).toMatchObject({ status: 200 })
    expect(await ask(widgetsPath, { headers: { ...user, 'x-remote-group': 'other' }, pair: proxy })).toMatchObject({ status: 403 })
    expect((await ask(widgetsPath, { headers: user })).text).toContain('User \\"system:anonymous\\"')
    expect(await ask(widgetsPath, { pair: await readCertificate('admin') })).toMatchObject({ status: 200 })
  })

  test('are followed', async () => {
    const configMaps = host.client.resource<ConfigMap>({ group: '', resource: 'configmaps' })!
    const before = (await configMaps.get(published.namespace, published.name))!
    await startExtension()
    const { frontProxy } = await openOwnCertificates({ store: createMemoryCertificateStore(), frontProxy: true })
    const pair = { cert: frontProxy!.client.certificate, key: frontProxy!.client.key }
    expect(await ask(widgetsPath, { headers: { who: 'alice', 'x-remote-group': 'dev' }, pair })).toMatchObject({ status: 401 })
    await configMaps.update(published.namespace, published.name, (object) => ({
      ...object,
      data: {
        ...object.data,
        'requestheader-client-ca-file': frontProxy!.ca.certificate,
        'requestheader-username-headers': '["Who"]',
        'client-ca-file': 'not PEM',
      },
    }))
    const asAlice = { headers: { who: 'alice', 'x-remote-group': 'dev' }, pair }
    await vi.waitUntil(async () => (await ask(widgetsPath, asAlice)).status === 200, { timeout: 20_000, interval: 20 })
    expect(await ask(widgetsPath, { headers: user, pair: await readCertificate('front-proxy-client') })).toMatchObject({ status: 401 })
    // An invalid CA does not replace the last valid one.
    expect(await ask(widgetsPath, { pair: await readCertificate('admin') })).toMatchObject({ status: 200 })
    await configMaps.update(published.namespace, published.name, (object) => ({ ...object, data: { ...before.data } }))
  })

  test('are not read if their lookup is disabled', async () => {
    await startExtension({ delegation: { kubeconfigFile, lookUpAuthentication: false } })
    expect(await ask(widgetsPath, alice)).toMatchObject({ status: 200 })
    expect(await ask(widgetsPath, { headers: user, pair: await readCertificate('front-proxy-client') })).toMatchObject({ status: 401 })
  })
})

describe('a server that cannot be used', () => {
  const writeKubeconfig = async (server: string, token: string): Promise<string> => {
    const file = locateFile('refused.kubeconfig')
    await writeFile(file, createKubeconfig({ server, certificateAuthority: host.certificateAuthority, user: { certificate: '', key: '' } }))
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace(/client-certificate-data:.*\n *client-key-data:.*/, `token: ${token}`))
    return file
  }

  test('prevents the start, with the reason', async () => {
    const logged: string[] = []
    const refused = startExtension({
      delegation: { kubeconfigFile: await writeKubeconfig(host.url, 'alicetoken') },
      log: (_level, text) => logged.push(text),
    })
    await expect(refused).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(
        'unable to load configmap based request-header-client-ca-file: configmaps "extension-apiserver-authentication" is forbidden: User "alice"',
      ) as string,
    })
    expect(logged.join('\n')).toContain("'kubectl create rolebinding -n kube-system ROLEBINDING_NAME")
    await expect(startExtension({ delegation: { kubeconfigFile: locateFile('missing') } })).rejects.toThrow(
      'failed to get delegated authentication kubeconfig: stat ',
    )
    await expect(startExtension({ delegation: {} })).rejects.toThrow('unable to load in-cluster configuration')
  })

  test('can be tolerated, and is used when it works', async () => {
    const file = await writeKubeconfig('https://127.0.0.1:1', 'alicetoken')
    await startExtension({ delegation: { kubeconfigFile: file, tolerateLookupFailure: true } })
    expect(await ask('/readyz')).toMatchObject({ status: 200 })
    expect(await ask(widgetsPath, alice)).toMatchObject({ status: 401 })
  })
})

test('authorization modes cannot be set as well', async () => {
  await expect(startExtension({ authorization: { modes: ['RBAC'] } })).rejects.toThrow(
    'authorization modes, files and webhooks cannot be set together with delegation, which replaces them',
  )
})
