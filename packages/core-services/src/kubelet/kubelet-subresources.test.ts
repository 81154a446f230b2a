import type { Endpoints, Node, Pod, Service } from '@keelson/api/core/v1'
import { newNotFound } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { Connecter, Getter, RESTStorage, Streamer } from '@keelson/registry'
import { testContext } from '@keelson/registry/testing'
import { expect, it } from 'vitest'
import { createKubeletSubresources, createNodeProxySubresource } from './kubelet-subresources.ts'
import { isGlobalUnicast } from '../proxy/global-unicast.ts'
import { parseSchemeNamePort } from '../proxy/scheme-name-port.ts'
import { createKubeletClient } from './kubelet-client.ts'
import type { KubeletOptions } from './kubelet-client.ts'

const context = testContext('default')

function createGetter(...objects: KubeObject[]): Getter {
  return {
    async get(_context, name) {
      const object = objects.find(({ metadata }) => metadata.name === name)
      if (object === undefined) throw newNotFound({ group: '', resource: 'things' }, name)
      return { ...object, kind: 'Thing', apiVersion: 'v1' }
    },
  }
}

const createContainer = (name: string, port?: number) => ({ name, ...(port !== undefined && { ports: [{ containerPort: port }] }) })
const createMetadata = (name: string) => ({ name, namespace: 'default' })
const pods: Pod[] = [
  { metadata: createMetadata('one'), spec: { nodeName: 'n', containers: [createContainer('c')] } },
  {
    metadata: createMetadata('many'),
    spec: { nodeName: 'new', initContainers: [createContainer('i')], containers: [createContainer('a'), createContainer('b', 8080)] },
    status: { podIPs: [{ ip: '10.1.0.1' }] },
  },
  { metadata: createMetadata('waiting'), spec: { containers: [createContainer('c')] }, status: { podIPs: [{ ip: '169.254.169.254' }] } },
  { metadata: createMetadata('six'), spec: { containers: [createContainer('c')] }, status: { podIPs: [{ ip: 'fd00::7' }] } },
] as Pod[]
const addresses = [
  { type: 'Hostname', address: 'node-n' },
  { type: 'InternalIP', address: '10.0.0.1' },
]
const nodes: Node[] = [
  { metadata: { name: 'n' }, status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 10_255 } } } },
  { metadata: { name: 'new' }, status: { addresses, declaredFeatures: ['ExtendWebSocketsToKubelet'] } },
]
const service: Service = { metadata: createMetadata('s'), spec: { ports: [{ name: 'web', port: 80 }] } }
const endpoints: Endpoints = {
  metadata: createMetadata('s'),
  subsets: [
    {
      addresses: [{ ip: '10.1.0.1', targetRef: { kind: 'Pod', namespace: 'default', name: 'many' } }],
      ports: [{ name: 'web', port: 8080 }],
    },
    { addresses: [{ ip: '10.9.9.9' }], ports: [{ name: 'nobody', port: 1 }] },
    {
      addresses: [{ ip: '10.1.0.1', targetRef: { kind: 'Pod', namespace: 'other', name: 'many' } }],
      ports: [{ name: 'foreign', port: 1 }],
    },
  ],
}

const createSubresources = (options?: KubeletOptions): ReadonlyMap<string, RESTStorage> =>
  createKubeletSubresources(
    { pods: createGetter(...pods), nodes: createGetter(...nodes), services: createGetter(service), endpoints: createGetter(endpoints) },
    options,
  )
const connect = (path: string, name: string, options: object = {}, kubelet?: KubeletOptions) =>
  (createSubresources(kubelet).get(path) as RESTStorage & Connecter).connect(context, name, options as KubeObject)
const open = (name: string, options: object = {}) =>
  (createSubresources().get('pods/log') as RESTStorage & Streamer).openStream(context, name, options as KubeObject)

it('connects exec and attach to the kubelet with the requested streams', async () => {
  const target = await connect('pods/exec', 'one', { command: ['sh', '-c', 'a b'], stdin: true, stdout: true })
  expect(target).toMatchObject({
    remote: {
      scheme: 'https',
      host: 'node-n',
      port: '10255',
      path: '/exec/default/one/c',
      query: 'command=sh&command=-c&command=a+b&input=1&output=1',
      tls: { verify: false },
    },
    passes: 'upgrade',
    websocket: { process: { stdin: true, stdout: true, stderr: false, tty: false } },
  })
  expect((await connect('pods/attach', 'many', { container: 'i', tty: true })).remote).toMatchObject({
    path: '/attach/default/many/i',
    query: 'tty=1',
  })
  expect((await connect('pods/portforward', 'one', { ports: [1, 2] })).remote).toMatchObject({
    path: '/portForward/default/one',
    query: 'port=1%2C2',
  })
})

it('forwards WebSockets to kubelets that support them', async () => {
  expect(await connect('pods/exec', 'many', { container: 'a' })).not.toHaveProperty('websocket')
  expect(await connect('pods/portforward', 'many')).not.toHaveProperty('websocket')
})

it('requires an unambiguous container and a scheduled pod', async () => {
  await expect(connect('pods/exec', 'many')).rejects.toThrow('a container name must be specified for pod many, choose one of: [i a b]')
  await expect(connect('pods/exec', 'one', { container: 'x' })).rejects.toThrow('container x is not valid for pod one')
  await expect(connect('pods/exec', 'waiting')).rejects.toMatchObject({ code: 400, message: 'pod waiting does not have a host assigned' })
  await expect(connect('pods/portforward', 'waiting')).rejects.toThrow('pod waiting does not have a host assigned')
  expect(await open('waiting')).toBeUndefined()
})

it('streams logs from the kubelet', async () => {
  const options = { follow: true, previous: true, sinceTime: '2026-01-01T00:00:00Z', insecureSkipTLSVerifyBackend: true }
  expect(await open('one', options)).toMatchObject({
    resource: 'pods/log',
    remote: {
      path: '/containerLogs/default/one/c',
      query: 'follow=true&previous=true&sinceTime=2026-01-01T00%3A00%3A00Z',
      tls: { verify: false },
    },
  })
  await expect(open('one', { sinceSeconds: 1, sinceTime: '2026-01-01T00:00:00Z' })).rejects.toMatchObject({ code: 422 })
  await expect(open('one', { stream: 'Stdout' })).rejects.toThrow('stream: Forbidden: may not be specified')
})

it('uses the preferred address of a node', async () => {
  const kubelet = {
    preferredAddressTypes: ['ExternalIP', 'InternalIP'],
    port: 4000,
    readTls: async () => ({ verify: true, authority: 'ca' }),
  }
  const { remote } = await connect('pods/exec', 'many', { container: 'a' }, kubelet)
  expect(remote).toMatchObject({ host: '10.0.0.1', port: '4000', tls: { verify: true, authority: 'ca' } })
  await expect(connect('pods/exec', 'one', {}, { preferredAddressTypes: ['ExternalIP'] })).rejects.toMatchObject({
    code: 500,
    message: 'no preferred addresses found; known addresses: [{Hostname node-n} {InternalIP 10.0.0.1}]',
  })
})

it('proxies to the requested port of a pod, or the first declared one', async () => {
  const locateAt = async (id: string, path = '') => {
    const { remote } = await connect('pods/proxy', id, { path })
    return `${remote.scheme}://${remote.host}:${remote.port}${remote.path}`
  }
  expect(await locateAt('many')).toBe('http://10.1.0.1:8080')
  expect(await locateAt('https:many:1', '/a/../../b/')).toBe('https://10.1.0.1:1/b/')
  expect(await locateAt('six', '/')).toBe('http://fd00::7:/')
  await expect(locateAt('waiting')).rejects.toMatchObject({ code: 400, message: 'address not allowed' })
  await expect(locateAt('one')).rejects.toThrow('address not allowed')
  await expect(locateAt('ftp:many:1')).rejects.toThrow('invalid pod request "ftp:many:1"')
})

it('proxies services only to pods in their namespace', async () => {
  expect((await connect('services/proxy', 's:80', { path: '/x' })).remote).toMatchObject({ host: '10.1.0.1', port: '8080', path: '/x' })
  expect((await connect('services/proxy', 'https:s:web')).remote).toMatchObject({ scheme: 'https', port: '8080' })
  for (const id of ['s:nobody', 's:foreign', 's']) {
    await expect(connect('services/proxy', id)).rejects.toMatchObject({ code: 503, message: `no endpoints available for service "${id}"` })
  }
  await expect(connect('services/proxy', 's:81')).rejects.toThrow('no service port 81 found for service "s"')
  await expect(connect('services/proxy', 's:-081')).rejects.toThrow('no service port -81 found for service "s"')
  for (const id of ['s:9223372036854775808', 's:0x50', 's:80.0', 's:NaN']) {
    await expect(connect('services/proxy', id)).rejects.toThrow(`no endpoints available for service "${id}"`)
  }
})

it('proxies nodes only to checked addresses', async () => {
  const proxy = (found: readonly string[]) =>
    createNodeProxySubresource(createKubeletClient(createGetter(...nodes)), async () => found.map((address) => ({ address, family: 4 })))
  const resolveRemote = async (id: string, found: readonly string[]) => (await proxy(found).connect(context, id, {} as KubeObject)).remote
  expect(await resolveRemote('n', ['10.0.0.1', '10.0.0.2'])).toMatchObject({
    scheme: 'https',
    host: 'node-n',
    address: '10.0.0.1',
    port: '10255',
  })
  expect(await resolveRemote('n:9100', ['10.0.0.1'])).toEqual({
    scheme: 'http',
    host: 'node-n',
    address: '10.0.0.1',
    port: '9100',
    path: '',
    query: '',
    tls: { verify: false },
  })
  await expect(resolveRemote('n', ['10.0.0.1', '127.0.0.1'])).rejects.toThrow('address not allowed')
  await expect(resolveRemote('n', [])).rejects.toThrow('no addresses for hostname')
})

it('allows only global unicast addresses', () => {
  for (const allowed of ['10.0.0.1', '192.168.1.1', '8.8.8.8', 'fd00::1', '2001:db8::1', '::ffff:10.0.0.1'])
    expect(isGlobalUnicast(allowed)).toBe(true)
  const refusedAddresses = [
    '127.0.0.1',
    '0.0.0.0',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'febf::1',
    'ff02::1',
  ]
  for (const address of [...refusedAddresses, '::ffff:127.0.0.1', '::ffff:169.254.169.254', '', 'name'])
    expect(isGlobalUnicast(address)).toBe(false)
})

it('parses scheme, name and port of a proxy URL', () => {
  expect(parseSchemeNamePort('web')).toEqual({ scheme: 'http', name: 'web', port: '' })
  expect(parseSchemeNamePort('web:http')).toEqual({ scheme: 'http', name: 'web', port: 'http' })
  expect(parseSchemeNamePort('https:web:')).toEqual({ scheme: 'https', name: 'web', port: '' })
  for (const invalidId of ['', ':80', 'a:b:c:d', 'ftp:web:21']) expect(parseSchemeNamePort(invalidId)).toBeUndefined()
})
