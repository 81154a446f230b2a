import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createSamplePod, namespace } from '@keelson/tooling-bench/sample-pod'
import { startEtcd } from '@keelson/tooling-e2e/etcd-process'
import { HttpsClient } from '@keelson/tooling-e2e/https-client'
import { startKubeApiserver } from '@keelson/tooling-e2e/kube-apiserver-process'
import { startServer } from '../http/server-process.ts'

/** Users by their tokens. All of them may do everything, so that only the flow control treats them differently. */
const users = {
  admintoken: ['admin', 'system:masters'],
  flooding: ['flooding', 'dev'],
  quiet: ['quiet', 'dev'],
  controller: ['system:serviceaccount:default:controller', 'system:serviceaccounts,system:serviceaccounts:default'],
  node: ['system:node:node-1', 'system:nodes'],
  leader: ['system:kube-controller-manager', ''],
} as const

export type FloodUser = keyof typeof users

/** A server with many pods of 3 KB. */
export interface FloodedServer extends AsyncDisposable {
  readonly name: string
  readonly url: string
  /** Returns the processor time of the server's thread. Undefined for a server with many threads. */
  readonly threadMilliseconds: (() => number) | undefined
}

const podBytes = 3000

/** Header of responses with the processor time of the server's thread in milliseconds when the response begins. */
export const threadTimeHeader = 'x-thread-milliseconds'

/** A module that the server loads first. It adds `threadTimeHeader` to the responses over HTTP/1.1. */
const reportThreadTime = `
  import { ServerResponse } from 'node:http'
  const { writeHead } = ServerResponse.prototype
  ServerResponse.prototype.writeHead = function (code, headers) {
    const { user, system } = process.threadCpuUsage()
    return writeHead.call(this, code, Array.isArray(headers) ? [...headers, '${threadTimeHeader}', String((user + system) / 1000)] : headers)
  }`

/** Starts the program with pods. */
export async function startFlooded(directory: string, pods: number): Promise<FloodedServer> {
  const nodeFlags = ['--import', `data:text/javascript,${encodeURIComponent(reportThreadTime)}`]
  const server = await startServer(directory, await createFlags(directory), { nodeFlags })
  const url = `https://127.0.0.1:${server.port}`
  await fill(url, pods)
  return {
    name: 'keelson',
    url,
    threadMilliseconds: () => server.readThreadTime(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Starts kube-apiserver on etcd with the same pods. */
export async function startReference(
  binaries: { readonly server: string; readonly etcd: string },
  directory: string,
  pods: number,
): Promise<FloodedServer> {
  const etcd = await startEtcd(binaries.etcd)
  const server = await startKubeApiserver(binaries.server, etcd.url, await createFlags(directory))
  await fill(server.url, pods)
  return {
    name: 'kube-apiserver',
    url: server.url,
    threadMilliseconds: undefined,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await etcd[Symbol.asyncDispose]()
    },
  }
}

async function createFlags(directory: string): Promise<string[]> {
  const tokens = path.join(directory, 'users.csv')
  const lines = Object.entries(users).map(([token, [name, groups]]) => `${token},${name},${name},"${groups}"\n`)
  await writeFile(tokens, lines.join(''))
  return [`--token-auth-file=${tokens}`, '--authorization-mode=AlwaysAllow']
}

async function fill(url: string, pods: number): Promise<void> {
  using client = new HttpsClient(url, 'admintoken')
  const create = async (target: string, body: object): Promise<void> => {
    const { status, text } = await client.request('POST', target, { body })
    if (status !== 201 && status !== 409) throw new Error(`${target} returned ${status}: ${text}`)
  }
  await create('/api/v1/namespaces', { metadata: { name: namespace } })
  await create('/api/v1/namespaces', { metadata: { name: 'kube-node-lease' } })
  await create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } })
  await create(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name: 'small' }, data: { key: 'value' } })
  await create('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', { metadata: { name: 'node-1' } })
  await create('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases', { metadata: { name: 'kube-controller-manager' } })
  let created = 0
  const createPods = async (): Promise<void> => {
    while (created < pods) await create(`/api/v1/namespaces/${namespace}/pods`, createSamplePod(`pod-${created++}`, podBytes))
  }
  await Promise.all(Array.from({ length: 32 }, createPods))
}
