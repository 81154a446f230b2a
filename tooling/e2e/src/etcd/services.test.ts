import { decodeUnknown } from '@keelson/api'
import { Etcd3 } from 'etcd3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { type EtcdProcess, startEtcd } from '../real-parts/etcd-process.ts'
import { findEtcd } from '../real-parts/find-etcd.ts'

const binary = findEtcd()

interface Service {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] }
}

describe.skipIf(binary === undefined)('services of two servers on one etcd', { timeout: 60_000 }, () => {
  let etcd: EtcdProcess
  let client: Etcd3
  let servers: KeelsonProcess[]
  let clients: HttpsClient[]

  beforeAll(async () => {
    etcd = await startEtcd(binary ?? '')
    client = new Etcd3({ hosts: etcd.url })
    const flags = ['--storage-backend=etcd3', `--etcd-servers=${etcd.url}`, '--service-node-port-range=30000-30039']
    servers = await Promise.all(
      ['192.0.2.1', '192.0.2.2'].map((address) => startKeelsonProcess({ flags: [...flags, `--advertise-address=${address}`] })),
    )
    clients = servers.map(({ url, token }) => new HttpsClient(url, token, 32))
  })
  afterAll(async () => {
    for (const httpsClient of clients) httpsClient[Symbol.dispose]()
    await Promise.all(servers.map((server) => server.stop()))
    client.close()
    await etcd[Symbol.asyncDispose]()
  })

  test('never get the same address or port twice', async () => {
    const answers = await Promise.all(
      Array.from({ length: 48 }, (_, i) =>
        clients[i % 2]!.request('POST', '/api/v1/namespaces/default/services', {
          body: { metadata: { name: `s${i}` }, spec: { type: 'NodePort', ports: [{ port: 80 }] } },
        }),
      ),
    )
    const created = answers.filter(({ status }) => status === 201).map((answer) => answer.parseJson<Service>().spec)
    expect(created).toHaveLength(40)
    expect(new Set(created.map(({ clusterIP }) => clusterIP)).size).toBe(40)
    expect(new Set(created.map(({ ports }) => ports[0]?.nodePort)).size).toBe(40)
    for (const { status, text } of answers) if (status !== 201) expect(text).toContain('failed to allocate a nodePort: range is full')
    const keys = await client.getAll().prefix('/registry/ipaddresses/').keys()
    // The keys include the service "kubernetes", which the server creates.
    expect(keys.toSorted()).toEqual(
      [...created.map(({ clusterIP }) => `/registry/ipaddresses/${clusterIP}`), '/registry/ipaddresses/10.0.0.1'].toSorted(),
    )
    const ranges = await client.get('/registry/ranges/servicenodeports').buffer()
    expect(decodeUnknown(ranges!).gvk.kind).toBe('RangeAllocation')
  })

  test('have both servers as endpoints, and later only the remaining one', async () => {
    const readAddresses = async (): Promise<string[]> => {
      const answer = await clients[1]!.request('GET', '/api/v1/namespaces/default/endpoints/kubernetes')
      const { subsets } = answer.parseJson<{ subsets: readonly { addresses: readonly { ip: string }[] }[] }>()
      return subsets.flatMap((subset) => subset.addresses.map(({ ip }) => ip))
    }
    await expect.poll(readAddresses, { timeout: 15_000 }).toEqual(['192.0.2.1', '192.0.2.2'])
    const leases = await client.getAll().prefix('/registry/masterleases/').keys()
    expect(leases).toEqual(['/registry/masterleases/192.0.2.1', '/registry/masterleases/192.0.2.2'])
    await servers[0]!.stop()
    await expect.poll(readAddresses, { timeout: 15_000 }).toEqual(['192.0.2.2'])
  })
})
