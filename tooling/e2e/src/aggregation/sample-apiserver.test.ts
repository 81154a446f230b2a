import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { Kubectl } from '../kubectl/kubectl.ts'
import { Session } from '../kubectl/session.ts'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'
import { findOpenssl } from '../real-parts/find-openssl.ts'
import { ExtensionProcess } from './extension-process.ts'
import { buildSampleApiserver, createSampleApiserver } from './sample-apiserver.ts'

const binaries = { etcd: findEtcd(), kubectl: findKubectl(), openssl: findOpenssl(), sample: await buildSampleApiserver() }
const group = '/apis/wardle.example.com'
const flunders = `${group}/v1beta1/namespaces/default/flunders`
const apiService = 'v1beta1.wardle.example.com'
/** kube-aggregator checks a service every 30 seconds, and a check fails after 5. The remainder is for a busy machine. */
const longestChangeMs = 45_000

let directory: string
let etcd: EtcdProcess
let front: KeelsonProcess
let client: HttpsClient
let kubectl: Kubectl
let sample: ExtensionProcess

describe.skipIf(Object.values(binaries).includes(undefined))('k8s.io/sample-apiserver behind the server', { timeout: 240_000 }, () => {
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'keelson-aggregation-'))
    etcd = await startEtcd(binaries.etcd!)
    front = await startKeelsonProcess()
    client = new HttpsClient(front.url, front.token)
    kubectl = new Kubectl(binaries.kubectl!, front, path.join(directory, 'cache'))
    await kubectl.run(['apply', '-f', '-'], { input: permissionsOfUsers })
    sample = await ExtensionProcess.open(createSampleApiserver(etcd.url), {
      program: binaries.sample!,
      openssl: binaries.openssl!,
      directory,
      kubectl,
      frontUrl: front.url,
    })
    await waitForCondition('True', 'Passed')
  }, 240_000)

  afterAll(async () => {
    await sample?.[Symbol.asyncDispose]()
    client?.[Symbol.dispose]()
    await front?.stop()
    await etcd?.[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  test('kubectl creates, reads, changes, watches and deletes its objects', async () => {
    const session = new Session(kubectl, 'default', directory)
    const watch = session.start('get flunders -w --output-watch-events')
    await session.play(
      ['apply -f -', 'flunder.wardle.example.com/a created\n', manifest],
      ['apply -f -', 'flunder.wardle.example.com/a unchanged\n', manifest],
      ['apply -f -', 'flunder.wardle.example.com/a configured\n', manifest.replace('flunderReference: b', 'flunderReference: c')],
      ['get flunders', /^NAME +CREATED AT\na +\S+Z\n$/],
      ['get flunder a -o jsonpath={.spec}', '{"flunderReference":"c","referenceType":"Flunder"}'],
      [
        'get flunders.v1alpha1.wardle.example.com a -o jsonpath={.spec}',
        {
          stdout: '{"reference":"c","referenceType":"Flunder"}',
          stderr: /^Warning: wardle.example.com\/v1alpha1 Flunder is deprecated in v1.3\+/,
        },
      ],
      ['label flunder a tier=front', 'flunder.wardle.example.com/a labeled\n'],
      ['get flunders -l tier=back -o name', ''],
      ['patch flunder a --type merge -p {"spec":{"flunderReference":"d"}}', 'flunder.wardle.example.com/a patched\n'],
      ['apply --server-side --field-manager other --force-conflicts -f -', /serverside-applied/, manifest],
      ['get flunder a -o jsonpath={.spec.flunderReference}', 'b'],
      // An admission plugin of sample-apiserver, which follows another resource of the group.
      ['create -f -', { stdout: 'fischer.wardle.example.com/f created\n', stderr: /^Warning: .* Fischer is deprecated/ }, fischer],
    )
    await expect
      .poll(
        async () =>
          (await kubectl.try(['create', '--dry-run=server', '-f', '-'], { input: manifest.replace('name: a', 'name: banned') })).stderr,
        {
          timeout: 20_000,
        },
      )
      .toContain('flunders.wardle.example.com "banned" is forbidden: this name may not be used')
    await session.play(
      ['delete flunder a', /^flunder.wardle.example.com "a" deleted/],
      ['get flunder a', { code: 1, stderr: 'Error from server (NotFound): flunders.wardle.example.com "a" not found\n' }],
    )
    await watch.until('DELETED')
    watch.child.kill()
    const events = watch.lines().map((line) => line.split(/\s+/).slice(0, 2).join(' '))
    expect(new Set(events)).toEqual(new Set(['EVENT NAME', 'ADDED a', 'MODIFIED a', 'DELETED a']))
    expect(events.at(-1)).toBe('DELETED a')
  })

  test('is part of discovery, OpenAPI and kubectl explain', async () => {
    const session = new Session(kubectl, 'default', directory)
    await session.play([
      'api-resources --api-group=wardle.example.com --no-headers',
      /^fischers +wardle\.example\.com\/v1alpha1 +false +Fischer\nflunders +wardle\.example\.com\/v1beta1 +true +Flunder\n$/,
    ])
    expect(await readVersions()).toMatchObject([
      { version: 'v1beta1', freshness: 'Current', resources: [{ resource: 'flunders', scope: 'Namespaced' }] },
      { version: 'v1alpha1', freshness: 'Current', resources: [{ resource: 'fischers' }, { resource: 'flunders' }] },
    ])
    // kube-aggregator reads the index of documents again after a minute if a server did not answer yet.
    const readUrls = async (): Promise<(string | undefined)[]> => {
      const { paths } = (await client.request('GET', '/openapi/v3')).parseJson<{ paths: Record<string, { serverRelativeURL: string }> }>()
      return ['v1beta1', 'v1alpha1'].map((version) => paths[`apis/wardle.example.com/${version}`]?.serverRelativeURL)
    }
    await expect.poll(readUrls, { timeout: 90_000 }).not.toContain(undefined)
    const [target = ''] = await readUrls()
    expect(target).toMatch(/^\/openapi\/v3\/apis\/wardle\.example\.com\/v1beta1\?hash=\w+$/)
    const document = await client.request('GET', target)
    expect(Object.keys(document.parseJson<{ paths: object }>().paths)).toContain(`${flunders.replace('default', '{namespace}')}/{name}`)
    // All versions of OpenAPI describe the same objects.
    const readSwagger = async (): Promise<Swagger> => (await client.request('GET', '/openapi/v2')).parseJson<Swagger>()
    const item = `${flunders.replace('default', '{namespace}')}/{name}`
    await expect.poll(async () => Object.keys((await readSwagger()).paths), { timeout: 90_000, interval: 500 }).toContain(item)
    const { definitions } = await readSwagger()
    expect(Object.keys(definitions)).toContain('io.k8s.sample-apiserver.pkg.apis.wardle.v1beta1.FlunderSpec')
    expect(Object.keys(definitions).filter((name) => name.startsWith('io.k8s.apimachinery') && /_v\d+$/.test(name))).toEqual([])
    await session.play(
      ['explain flunders.spec', /FIELDS:\n {2}fischerReference\t<string>[\s\S]* {2}flunderReference\t<string>/],
      ['explain flunders.spec --api-version=wardle.example.com/v1alpha1', /FIELDS:\n {2}reference\t<string>/],
    )
  })

  test('asks the server about the permissions of its users', async () => {
    const send = (method: string, at: string, headers: Record<string, string> = {}): ReturnType<HttpsClient['request']> =>
      client.request(method, at, { token: 'alicetoken', headers })
    expect((await send('GET', flunders)).status).toBe(200)
    const refused = await send('DELETE', `${flunders}/a`)
    expect([refused.status, refused.parseJson()['message']]).toEqual([403, forbiddenDelete])
    expect((await send('GET', `${group}/v1alpha1/fischers`)).status).toBe(403)
    // Headers of a client do not name another user.
    const forged = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }
    expect((await send('DELETE', `${flunders}/a`, forged)).status).toBe(403)
    // sample-apiserver sees the user whom a client impersonates.
    const impersonated = await client.request('GET', flunders, { headers: { 'impersonate-user': 'bob', 'impersonate-group': 'dev' } })
    expect(impersonated.status).toBe(200)
  })

  test('asks the server about tokens and permissions of its own clients', async () => {
    using direct = new HttpsClient(sample.url, 'alicetoken')
    expect((await direct.request('GET', flunders)).status).toBe(200)
    const refused = await direct.request('DELETE', `${flunders}/a`)
    expect([refused.status, refused.parseJson()['message']]).toEqual([403, forbiddenDelete])
    expect((await direct.request('DELETE', `${flunders}/a`, { token: front.token })).status).toBe(404)
    expect((await direct.request('GET', flunders, { token: 'unknown' })).status).toBe(401)
    const forged = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }
    expect((await direct.request('DELETE', `${flunders}/a`, { headers: forged })).status).toBe(403)
  })

  test('its objects are deleted with their namespace', async () => {
    const inNamespace = manifest.replace('name: a', 'name: a\n  namespace: doomed')
    const count = async (): Promise<number> =>
      (await client.request('GET', flunders.replace('default', 'doomed'))).parseJson<{ items: object[] }>().items.length
    await kubectl.run(['create', 'namespace', 'doomed'])
    await kubectl.run(['apply', '-f', '-'], { input: inNamespace })
    expect(await count()).toBe(1)
    await kubectl.run(['delete', 'namespace', 'doomed', '--wait', '--timeout=30s'])
    expect(await count()).toBe(0)
  })

  test('becomes unavailable when it is killed, and available when it is back', async () => {
    await sample.kill()
    const refused = await client.request('GET', flunders)
    expect([refused.status, refused.text]).toEqual([
      503,
      expect.stringMatching(/^error trying to reach service: dial tcp .*: connect: connection refused/),
    ])
    expect(await waitForCondition('False', 'FailedDiscoveryCheck')).toMatch(
      /^failing or missing response from https:\/\/localhost:\d+\/apis\/wardle\.example\.com\/v1beta1: Get "https:.*": dial tcp .*: connect: connection refused$/,
    )
    expect(await client.request('GET', flunders)).toMatchObject({ status: 503, text: 'service unavailable\n' })
    expect(await readVersions()).toMatchObject([{ freshness: 'Stale' }, { freshness: 'Stale' }])
    // Meanwhile, nobody knows whether a namespace has objects of the group.
    await kubectl.run(['create', 'namespace', 'waiting'])
    await kubectl.run(['delete', 'namespace', 'waiting', '--wait=false'])
    const discovered = 'jsonpath={.status.conditions[?(@.type=="NamespaceDeletionDiscoveryFailure")].message}'
    await expect
      .poll(async () => (await kubectl.try(['get', 'namespace', 'waiting', '-o', discovered])).stdout, { timeout: 20_000 })
      .toMatch(
        /^Discovery failed for some groups, 2 failing: unable to retrieve .*: wardle\.example\.com\/v1alpha1: stale GroupVersion discovery: /,
      )
    sample.start()
    await waitForCondition('True', 'Passed')
    await expect.poll(async () => (await client.request('GET', '/api/v1/namespaces/waiting')).status, { timeout: 120_000 }).toBe(404)
    expect((await client.request('GET', flunders)).status).toBe(200)
  })

  test('becomes unavailable when it hangs, and available when it continues', async () => {
    sample.pause()
    try {
      expect(await waitForCondition('False', 'FailedDiscoveryCheck')).toMatch(
        /^failing or missing response from https:\/\/localhost:\d+\/apis\/wardle\.example\.com\/v1beta1: Get "https:.*": .*(context deadline exceeded|Client\.Timeout exceeded|net\/http: TLS handshake timeout)/,
      )
    } finally {
      sample.resume()
    }
    await waitForCondition('True', 'Passed')
    expect((await client.request('GET', flunders)).status).toBe(200)
  })
})

/**
 * Waits until the condition Available has a status, for as long as kube-aggregator may take. Meanwhile, other groups must answer sooner than a
 * request to a hung server fails. Returns the message of the condition.
 */
async function waitForCondition(status: string, reason: string): Promise<string> {
  const path = `/apis/apiregistration.k8s.io/v1/apiservices/${apiService}`
  const started = Date.now()
  let last: Condition | undefined
  while (Date.now() - started < longestChangeMs) {
    for (const other of ['/api/v1/namespaces', '/apis/apps/v1/namespaces/default/deployments'])
      expect((await client.request('GET', other, { signal: AbortSignal.timeout(4000) })).status).toBe(200)
    const answer = (await client.request('GET', path)).parseJson<{ status?: { conditions?: Condition[] } }>()
    last = answer.status?.conditions?.find(({ type }) => type === 'Available')
    if (last?.status === status && last.reason === reason) return last.message
    await wait(100)
  }
  throw new Error(`Available is not ${status} for ${reason}: ${JSON.stringify(last)}\n${sample.output.slice(-4000)}`)
}

async function readVersions(): Promise<readonly object[] | undefined> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const { items } = (await client.request('GET', '/apis', { headers: { accept } })).parseJson<{ items: Discovered[] }>()
  return items.find(({ metadata }) => metadata.name === 'wardle.example.com')?.versions
}

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly message: string
}

interface Swagger {
  readonly paths: object
  readonly definitions: object
}

interface Discovered {
  readonly metadata: { readonly name: string }
  readonly versions: readonly object[]
}

const forbiddenDelete =
  'flunders.wardle.example.com "a" is forbidden: User "alice" cannot delete resource "flunders" in API group "wardle.example.com" in the namespace "default"'

const manifest = `
apiVersion: wardle.example.com/v1beta1
kind: Flunder
metadata:
  name: a
spec:
  flunderReference: b
  referenceType: Flunder
`

const fischer = `
apiVersion: wardle.example.com/v1alpha1
kind: Fischer
metadata:
  name: f
disallowedFlunders: [banned]
`

const permissionsOfUsers = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: flunders, namespace: default }
rules: [{ apiGroups: [wardle.example.com], resources: [flunders], verbs: [get, list, watch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: flunders, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: flunders }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: Group, name: dev }]
`
