import type { LoopbackClient } from '@keelson/loopback'
import type { Destination } from '@keelson/outbound'
import { expect, test } from 'vitest'
import { createServiceResolver } from './service-resolver.ts'

function createClient(spec: object | undefined, slices: readonly object[] = []): LoopbackClient {
  const services = { get: async (_namespace: string, name: string) => spec && { metadata: { name }, spec } }
  const endpointSlices = { list: async () => ({ items: slices }) }
  return {
    resource: ({ resource }: { readonly resource: string }) => (resource === 'services' ? services : endpointSlices),
  } as unknown as LoopbackClient
}
const resolve = async (spec: object | undefined, slices?: readonly object[]) =>
  createServiceResolver({ getClient: () => createClient(spec, slices), toEndpoints: slices !== undefined, random: () => 0 }).resolve({
    namespace: 'n',
    name: 'web',
    port: 443,
  })
const ports = [{ name: 'https', port: 443 }]
const clusterIP = { type: 'ClusterIP', clusterIP: '10.0.0.1', ports, ipFamilies: ['IPv4'] }

test('resolves a service to its cluster IP', async () => {
  expect(await resolve(clusterIP)).toEqual({ host: '10.0.0.1', port: 443 })
  expect(await resolve({ type: 'ExternalName', externalName: 'a.example.com' })).toEqual({ host: 'a.example.com', port: 443 })
})

test('resolves a service to a ready endpoint of the primary IP family, and to its port with the same name', async () => {
  const slice = (addressType: string, name: string, ...endpoints: object[]) => ({ addressType, ports: [{ name, port: 8443 }], endpoints })
  const slices = [
    slice('IPv6', 'https', { addresses: ['fd00::1'] }),
    slice('IPv4', 'metrics', { addresses: ['10.1.0.9'] }),
    slice(
      'IPv4',
      'https',
      { addresses: ['10.1.0.1'], conditions: { ready: false } },
      { addresses: ['10.1.0.2'], conditions: { ready: true } },
    ),
  ]
  expect(await resolve(clusterIP, slices)).toEqual({ host: '10.1.0.2', port: 8443 })
  expect(await resolve(clusterIP, slices.slice(0, 2))).toEqual({ host: 'fd00::1', port: 8443 })
  expect(await resolve({ ...clusterIP, clusterIP: 'None' }, slices)).toEqual({ host: '10.1.0.2', port: 8443 })
})

test('resolves the service of the API server to the address of this server, once it listens', async () => {
  let address: Destination | undefined
  const resolver = createServiceResolver({ getClient: () => createClient(clusterIP), apiServer: () => address })
  const kubernetes = { namespace: 'default', name: 'kubernetes', port: 443 }
  expect(await resolver.resolve(kubernetes)).toEqual({ host: '10.0.0.1', port: 443 })
  address = { host: '127.0.0.1', port: 6443 }
  expect(await resolver.resolve(kubernetes)).toEqual(address)
  for (const other of [{ namespace: 'n' }, { name: 'web' }]) {
    expect(await resolver.resolve({ ...kubernetes, ...other })).toEqual({ host: '10.0.0.1', port: 443 })
  }
  await expect(resolver.resolve({ ...kubernetes, port: 80 })).rejects.toThrow('no service port 80 found for service "kubernetes"')
})

test.each<[object | undefined, readonly object[] | undefined, string]>([
  [undefined, undefined, 'service "web" not found'],
  [{ ...clusterIP, clusterIP: 'None' }, undefined, 'cannot route to service with ClusterIP "None"'],
  [{ ...clusterIP, ports: [{ port: 80 }] }, undefined, 'no service port 443 found for service "web"'],
  [clusterIP, [], 'no endpoints available for service "web"'],
  [{ type: 'ExternalName', externalName: 'a' }, [], 'unsupported service type "ExternalName"'],
])('rejects the service %j with the slices %j: %s', async (spec, slices, message) => {
  await expect(resolve(spec, slices)).rejects.toThrow(message)
})
