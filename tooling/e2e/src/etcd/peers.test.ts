import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import os from 'node:os'
import path from 'node:path'
import { createServerChain } from '@keelson/control-plane'
import type { ServerChain } from '@keelson/control-plane'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { type EtcdProcess, freePorts, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd, findEtcdctl } from '../real-parts/find-etcd.ts'
import { findKubeApiserver } from '../real-parts/find-kube-apiserver.ts'
import { type KubeApiserverProcess, startKubeApiserver } from '../real-parts/kube-apiserver-process.ts'
import { Etcdctl } from './etcdctl.ts'

const binaries = { etcd: findEtcd(), etcdctl: findEtcdctl(), apiserver: findKubeApiserver() }
const jobs = '/apis/batch/v1/namespaces/default/jobs'
const deployments = '/apis/apps/v1/namespaces/default/deployments'
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
const tokens = 'admintoken,admin,admin,"system:masters"\nalicetoken,alice,alice,"dev"\n'

let directory: string
let etcd: EtcdProcess
let original: KubeApiserverProcess
let keelson: ServerChain
const clients: Record<'original' | 'keelson', HttpsClient> = {} as never
const locateFile = (name: string): string => path.join(directory, name)

// kube-apiserver does not serve apps/v1, Keelson does not serve batch/v1. Each forwards these requests to the other one.
describe.skipIf(Object.values(binaries).includes(undefined))('kube-apiserver and Keelson on one etcd', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'keelson-peers-'))
    // A server generates its certificates when it is created. Both servers have serving certificates of this CA.
    await (await createServerChain({ serving: { certificates: { directory } }, log: () => {} })).close()
    await writeFile(locateFile('tokens.csv'), tokens)
    etcd = await startEtcd(binaries.etcd!)
    original = await startKubeApiserver(binaries.apiserver!, etcd.url, [
      `--token-auth-file=${locateFile('tokens.csv')}`,
      `--tls-cert-file=${locateFile('apiserver.crt')}`,
      `--tls-private-key-file=${locateFile('apiserver.key')}`,
      `--requestheader-client-ca-file=${locateFile('front-proxy-ca.crt')}`,
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-uid-headers=X-Remote-Uid',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-allowed-names=front-proxy-client',
      `--proxy-client-cert-file=${locateFile('front-proxy-client.crt')}`,
      `--proxy-client-key-file=${locateFile('front-proxy-client.key')}`,
      `--peer-ca-file=${locateFile('ca.crt')}`,
      // kube-apiserver 1.36 does not publish the values of its --peer-advertise flags.
      '--advertise-address=127.0.0.1',
      '--endpoint-reconciler-type=none',
      '--runtime-config=apps/v1=false',
    ])
    const [port] = (await freePorts(1)) as [number]
    keelson = await createServerChain({
      storage: { type: 'etcd3', transport: { serverList: [etcd.url] } },
      serving: { certificates: { directory }, port },
      authentication: { tokenFile: locateFile('tokens.csv') },
      features: { runtimeConfig: { 'batch/v1': false } },
      services: { clusterIpRange: '10.0.0.0/16' },
      controllers: ['none'],
      log: () => {},
      peers: { authorityFile: locateFile('ca.crt'), hostname: 'keelson', advertiseAddress: '127.0.0.1', advertisePort: port },
    })
    await keelson.listen()
    await keelson.ready
    clients.original = new HttpsClient(original.url, 'admintoken')
    clients.keelson = new HttpsClient(keelson.url, 'admintoken')
    for (const [client, target] of [
      [clients.original, deployments],
      [clients.keelson, jobs],
    ] as const) {
      await vi.waitUntil(async () => (await client.request('GET', target)).status === 200, { timeout: 60_000, interval: 200 })
    }
  }, 240_000)

  afterAll(async () => {
    for (const client of Object.values(clients)) client[Symbol.dispose]()
    await keelson?.close()
    await original?.[Symbol.asyncDispose]()
    await etcd?.[Symbol.asyncDispose]()
    await rm(directory, { recursive: true, force: true })
  })

  test('publish their addresses in the same form', async () => {
    const { items } = (await clients.keelson.request('GET', leasesPath)).parseJson<{ items: Lease[] }>()
    expect(items).toHaveLength(2)
    const [first, second] = items.map((lease) => describeLease(lease))
    expect(first).toEqual(second)
    const etcdctl = new Etcdctl(binaries.etcdctl!, etcd.url)
    const keys = [...(await etcdctl.values('/registry/peerserverleases/')).keys()]
    expect(keys.toSorted()).toEqual(items.map(({ metadata }) => `/registry/peerserverleases/${metadata.name}`).toSorted())
  })

  test('forward requests for what only the other one serves', async () => {
    const job = {
      metadata: { name: 'a' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
    }
    expect((await clients.keelson.request('POST', jobs, { body: job })).status).toBe(201)
    expect((await clients.original.request('GET', `${jobs}/a`)).status).toBe(200)
    expect((await clients.keelson.request('GET', `${jobs}/a`)).parseJson<typeof job>().metadata.name).toBe('a')
    const labels = { app: 'a' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const deployment = { metadata: { name: 'a' }, spec: { selector: { matchLabels: labels }, template } }
    expect((await clients.original.request('POST', deployments, { body: deployment })).status).toBe(201)
    expect((await clients.keelson.request('GET', `${deployments}/a`)).status).toBe(200)
    const metrics = (await clients.keelson.request('GET', '/metrics')).text
    expect(metrics).toMatch(/^apiserver_rerouted_request_total\{code="201",group="batch",resource="jobs",version="v1"\} 1$/m)
  })

  test('stream watches through the other one', async () => {
    const event = await readFirstEvent(keelson.url, `${jobs}?watch=1&resourceVersion=0`)
    expect(event).toMatchObject({ type: 'ADDED', object: { kind: 'Job', metadata: { name: 'a' } } })
  })

  test('keep the permissions of the user, and serve what a peer has forwarded locally', async () => {
    const refused = await clients.keelson.request('GET', jobs, { token: 'alicetoken' })
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('User \\"alice\\" cannot list resource \\"jobs\\"')])
    const forwarded = { headers: { 'x-kubernetes-peer-proxied': 'true' } }
    expect((await clients.keelson.request('GET', jobs, forwarded)).status).toBe(404)
    expect((await clients.original.request('GET', deployments, forwarded)).status).toBe(404)
    expect((await clients.keelson.request('GET', '/apis/none.example.com/v1/things')).status).toBe(404)
  })

  test('list the groups of all servers in aggregated discovery, in the same order', async () => {
    const [ours, theirs] = await vi.waitFor(
      async () => {
        const documents = await Promise.all([clients.keelson, clients.original].map((client) => readGroups(client, aggregated)))
        expect(documents[0]).toEqual(documents[1])
        return documents
      },
      { timeout: 30_000, interval: 500 },
    )
    expect(ours).toEqual(theirs)
    expect(ours).toEqual(expect.arrayContaining(['apps/v1', 'batch/v1']))
    expect(await readGroups(clients.keelson, `${aggregated};profile=nopeer`)).not.toContain('batch/v1')
    expect(await readGroups(clients.original, `${aggregated};profile=nopeer`)).not.toContain('apps/v1')
    const { groups } = (await clients.keelson.request('GET', '/apis')).parseJson<{ groups: { name: string }[] }>()
    expect(groups.map(({ name }) => name)).not.toContain('batch')
  })
})

const leasesPath =
  '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?labelSelector=apiserver.kubernetes.io%2Fidentity%3Dkube-apiserver'

interface Lease {
  readonly metadata: { readonly name: string; readonly labels: object; readonly annotations: object }
  readonly spec: { readonly holderIdentity: string; readonly renewTime: string }
}

/** Describes a lease without the values that differ between servers. */
function describeLease({ metadata, spec }: Lease): object {
  const { annotations, labels, name, ...rest } = metadata
  return {
    members: Object.keys(rest).toSorted(),
    name: /^apiserver-[a-z2-7]{26}$/.test(name),
    labels: Object.keys(labels).toSorted(),
    annotations: Object.entries(annotations).map(([key, value]) => [key, String(value).replace(/[0-9]+$/, 'PORT')]),
    spec: {
      ...spec,
      holderIdentity: spec.holderIdentity.replace(name, 'NAME').replaceAll(/[0-9a-f]/g, 'x'),
      renewTime: spec.renewTime.length,
    },
  }
}

/** Returns the group versions of aggregated discovery, in order. */
async function readGroups(client: HttpsClient, accept: string): Promise<readonly string[]> {
  const { items } = (await client.request('GET', '/apis', { headers: { accept } })).parseJson<{ items: Discovered[] }>()
  return items.flatMap(({ metadata, versions }) => versions.map(({ version }) => `${metadata.name}/${version}`))
}

interface Discovered {
  readonly metadata: { readonly name: string }
  readonly versions: readonly { readonly version: string }[]
}

/** Returns the first event of a watch. */
async function readFirstEvent(url: string, target: string): Promise<unknown> {
  const sent = request(url + target, { headers: { authorization: 'Bearer admintoken' }, rejectUnauthorized: false, agent: false }).end()
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      text += chunk.toString()
      if (text.includes('\n')) break
    }
    return JSON.parse(text.slice(0, text.indexOf('\n')))
  } finally {
    sent.destroy()
  }
}
