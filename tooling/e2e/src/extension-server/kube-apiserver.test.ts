import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createServerChain } from '@keelson/control-plane'
import type { ServerChain } from '@keelson/control-plane'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { typedGroup } from '../groups/widgets.ts'
import { HttpsClient } from '../https-client.ts'
import { Kubectl } from '../kubectl/kubectl.ts'
import { Session } from '../kubectl/session.ts'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'
import { findKubeApiserver } from '../real-parts/find-kube-apiserver.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'
import { type KubeApiserverProcess, startKubeApiserver } from '../real-parts/kube-apiserver-process.ts'
import { writeKubeconfig } from '../write-kubeconfig.ts'

const binaries = { etcd: findEtcd(), apiserver: findKubeApiserver(), kubectl: findKubectl() }
const widgetsPath = '/apis/widgets.example.com/v1/namespaces/default/widgets'
const tokens = [
  'admintoken,admin,admin,"system:masters"',
  'extensiontoken,extension,extension',
  'alicetoken,alice,alice,"dev"',
  'malloryToken,mallory,mallory',
].join('\n')

let directory: string
let etcd: EtcdProcess
let host: KubeApiserverProcess
let hostClient: HttpsClient
let extension: ServerChain
let kubectl: Kubectl
const locateFile = (name: string): string => path.join(directory, name)

describe.skipIf(Object.values(binaries).includes(undefined))('an extension API server behind kube-apiserver', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'keelson-extension-'))
    etcd = await startEtcd(binaries.etcd!)
    host = await startKubeApiserver(binaries.apiserver!, etcd.url, await writeHostFiles())
    hostClient = new HttpsClient(host.url, host.token)
    kubectl = new Kubectl(binaries.kubectl!, { kubeconfig: await writeKubeconfigOf('admintoken') }, locateFile('cache'))
    await kubectl.run(['apply', '-f', '-'], { input: permissions })
    extension = await createServerChain({
      groups: [typedGroup],
      delegation: { kubeconfigFile: await writeKubeconfigOf('extensiontoken') },
      serving: { certificates: { names: ['widgets.default.svc'] } },
      log: () => {},
    })
    await extension.listen()
    await extension.ready
    await kubectl.run(['apply', '-f', '-'], { input: createRegistration() })
    await kubectl.run(['wait', 'apiservice/v1.widgets.example.com', '--for=condition=Available', '--timeout=60s'])
    await vi.waitUntil(async () => (await hostClient.request('GET', widgetsPath)).status === 200, { timeout: 30_000, interval: 100 })
  }, 240_000)

  afterAll(async () => {
    await extension?.close()
    hostClient?.[Symbol.dispose]()
    await host?.[Symbol.asyncDispose]()
    await etcd?.[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  test('kubectl creates, reads, changes, watches and deletes its objects', async () => {
    const session = new Session(kubectl, 'default', directory)
    const watch = session.start('get widgets -w --output-watch-events')
    await session.play(
      ['apply -f -', 'widget.widgets.example.com/a created\n', manifest],
      ['apply -f -', 'widget.widgets.example.com/a unchanged\n', manifest],
      ['get widgets', /^NAME +SIZE +PHASE +AGE\na +3 +<none> +\d+s\n$/],
      ['get wd a -o jsonpath={.spec}', /"color":"red"/],
      ['get widgets --field-selector spec.color=blue -o name', ''],
      ['scale widget a --replicas 4', 'widget.widgets.example.com/a scaled\n'],
      ['patch widget a --subresource status --type merge -p {"status":{"phase":"Ready"}}', /patched/],
      ['get widgets --no-headers', /^a +3 +Ready +\d+s\n$/],
      ['apply --server-side --field-manager other -f -', /serverside-applied/, manifest.replace('color: red\n', '')],
    )
    const refused = await kubectl.try(['create', '-f', '-'], { input: manifest.replace('size: 3', 'size: 0') })
    expect(refused.stderr).toContain('spec.size: Invalid value: 0: must be greater than 0')
    await session.play(['delete widget a', /^widget.widgets.example.com "a" deleted/])
    await watch.until('DELETED')
    watch.child.kill()
    const events = watch.lines().map((line) => line.split(/\s+/).slice(0, 3).join(' '))
    expect(new Set(events)).toEqual(new Set(['EVENT NAME SIZE', 'ADDED a 3', 'MODIFIED a 3', 'DELETED a 3']))
    expect(events.at(-1)).toBe('DELETED a 3')
  })

  test('is part of discovery, OpenAPI and kubectl explain', async () => {
    const session = new Session(kubectl, 'default', directory)
    await session.play(
      ['api-resources --api-group=widgets.example.com --no-headers', /^widgets +wd +widgets\.example\.com\/v1 +true +Widget\n$/],
      ['explain widgets.spec', /FIELDS:\n {2}color\t<string>[\s\S]* {2}replicas\t<integer>[\s\S]* {2}size\t<integer>/],
    )
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
    const { items } = (await hostClient.request('GET', '/apis', { headers: { accept } })).parseJson<{ items: Discovered[] }>()
    expect(items.find(({ metadata }) => metadata.name === 'widgets.example.com')?.versions).toMatchObject([
      { version: 'v1', freshness: 'Current', resources: [{ resource: 'widgets', scope: 'Namespaced', shortNames: ['wd'] }] },
    ])
    const v3 = (await hostClient.request('GET', '/openapi/v3/apis/widgets.example.com/v1')).parseJson<{ paths: object }>()
    expect(Object.keys(v3.paths)).toContain(`${widgetsPath.replace('default', '{namespace}')}/{name}`)
    await vi.waitUntil(async () => (await hostClient.request('GET', '/openapi/v2')).text.includes('com.example.widgets.v1.WidgetSpec'), {
      timeout: 60_000,
      interval: 500,
    })
  })

  test("takes users from kube-apiserver's headers", async () => {
    const getAs = (token: string, target: string): Promise<{ status: number; text: string }> => hostClient.request('GET', target, { token })
    expect(await getAs('alicetoken', widgetsPath)).toMatchObject({ status: 200 })
    expect((await getAs('malloryToken', widgetsPath)).text).toContain('User \\"mallory\\" cannot list resource')
    // Headers of the client do not name another user.
    const forged = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }
    expect((await hostClient.request('GET', widgetsPath, { token: 'malloryToken', headers: forged })).status).toBe(403)
  })

  test('asks kube-apiserver about tokens and permissions of its own clients', async () => {
    using direct = new HttpsClient(extension.url, 'alicetoken')
    expect((await direct.request('GET', widgetsPath)).status).toBe(200)
    const refused = await direct.request('DELETE', `${widgetsPath}/a`)
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining('widgets.widgets.example.com \\"a\\" is forbidden: User \\"alice\\" cannot delete resource'),
    ])
    expect((await direct.request('GET', widgetsPath, { token: 'malloryToken' })).status).toBe(403)
    expect((await direct.request('GET', widgetsPath, { token: 'unknown' })).status).toBe(401)
    // The front proxy headers of a client without the certificate of kube-apiserver have no effect.
    const forged = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }
    expect((await direct.request('GET', widgetsPath, { token: 'malloryToken', headers: forged })).status).toBe(403)
  })
})

interface Discovered {
  readonly metadata: { readonly name: string }
  readonly versions: readonly object[]
}

const manifest = `
apiVersion: widgets.example.com/v1
kind: Widget
metadata:
  name: a
spec:
  size: 3
  color: red
`

/** The permissions that extension API servers need, and one of Alice. */
const permissions = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: extension-delegator }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:auth-delegator }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: extension }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: extension-reader, namespace: kube-system }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: extension }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: widgets, namespace: default }
rules: [{ apiGroups: [widgets.example.com], resources: [widgets], verbs: [get, list, watch] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: widgets, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: widgets }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: Group, name: dev }]
`

function createRegistration(): string {
  const caBundle = Buffer.from(extension.certificateAuthority).toString('base64')
  return `
apiVersion: v1
kind: Service
metadata: { name: widgets, namespace: default }
spec: { type: ExternalName, externalName: localhost }
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1.widgets.example.com }
spec:
  group: widgets.example.com
  version: v1
  groupPriorityMinimum: 1000
  versionPriority: 10
  caBundle: ${caBundle}
  service: { namespace: default, name: widgets, port: ${new URL(extension.url).port} }
`
}

/** Creates the certificates with which kube-apiserver forwards requests, and the file of tokens. Returns the flags. */
async function writeHostFiles(): Promise<readonly string[]> {
  // A server of this project generates such certificates when it is created.
  await (await createServerChain({ serving: { certificates: { directory } }, log: () => {} })).close()
  await writeFile(locateFile('tokens.csv'), tokens)
  return [
    `--token-auth-file=${locateFile('tokens.csv')}`,
    `--requestheader-client-ca-file=${locateFile('front-proxy-ca.crt')}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--requestheader-allowed-names=front-proxy-client',
    `--proxy-client-cert-file=${locateFile('front-proxy-client.crt')}`,
    `--proxy-client-key-file=${locateFile('front-proxy-client.key')}`,
  ]
}

function writeKubeconfigOf(token: string): Promise<string> {
  return writeKubeconfig(locateFile(`${token}.kubeconfig`), { url: host.url, token })
}
