import type { Destination, ServiceReference, StreamDialer } from '@keelson/outbound'
import { expect, it } from 'vitest'
import type { ProxyTarget } from '../target.ts'
import type { ProxyCertificate } from './proxy-certificate.ts'
import { TargetClients } from './target-clients.ts'

const target: ProxyTarget = {
  name: 'v1.example.com',
  service: { namespace: 'default', name: 'api', port: 443 },
  insecureSkipTLSVerify: true,
  isAvailable: true,
}

interface TestClients {
  readonly clients: TargetClients
  /** URLs of the clients that were created, and those that were disposed with a minus sign. */
  readonly events: string[]
  /** Services that were resolved. */
  readonly resolved: string[]
  /** Leases a client and returns its address. */
  use(): Promise<string>
}

function openClients(resolve: () => Destination | Promise<Destination>, isStable: boolean): TestClients {
  const events: string[] = []
  const resolved: string[] = []
  const dialer = {
    client: ({ url }: { readonly url: string }) => {
      events.push(url)
      return { [Symbol.dispose]: () => events.push(`-${url}`) }
    },
  } as unknown as StreamDialer
  const resolver = {
    isStable,
    resolve: ({ name }: ServiceReference) => {
      resolved.push(name)
      return resolve()
    },
  }
  const certificate = { get: () => undefined } as unknown as ProxyCertificate
  const clients = new TargetClients({ dialer, resolver, certificate })
  const use = async (): Promise<string> => {
    const leased = await clients.lease(target)
    leased.close()
    return leased.authority
  }
  return { clients, events, resolved, use }
}

it('keeps the address of a service until the service changes', async () => {
  let port = 1
  const { clients, events, resolved, use } = openClients(() => ({ host: '10.0.0.1', port }), true)
  expect([await use(), await use(), clients.lease(target) instanceof Promise]).toEqual(['10.0.0.1:1', '10.0.0.1:1', false])
  expect(resolved.length).toBe(1)
  port = 2
  clients.forgetAddress({ namespace: 'default', name: 'other' })
  clients.forgetAddress({ namespace: 'other', name: 'api' })
  expect(await use()).toBe('10.0.0.1:1')
  clients.forgetAddress({ namespace: 'default', name: 'api' })
  expect([await use(), await use(), resolved.length]).toEqual(['10.0.0.1:2', '10.0.0.1:2', 2])
  port = 3
  clients.forgetAddress()
  expect([await use(), resolved.length]).toEqual(['10.0.0.1:3', 3])
  expect(events).toEqual(['https://10.0.0.1:1', 'https://10.0.0.1:2', 'https://10.0.0.1:3'])
})

it('resolves a service with several endpoints for each request', async () => {
  let port = 1
  const { resolved, use } = openClients(() => ({ host: '10.0.0.1', port: port++ }), false)
  expect([await use(), await use()]).toEqual(['10.0.0.1:1', '10.0.0.1:2'])
  expect(resolved.length).toBe(2)
})

it('does not keep an address that was resolved before a change', async () => {
  const answers: ((port: number) => void)[] = []
  const { clients, use } = openClients(() => new Promise((resolve) => answers.push((port) => resolve({ host: '10.0.0.1', port }))), true)
  const first = use()
  await Promise.resolve()
  clients.forgetAddress({ namespace: 'default', name: 'api' })
  answers[0]!(1)
  expect(await first).toBe('10.0.0.1:1')
  const second = use()
  answers[1]!(2)
  expect([await second, await use()]).toEqual(['10.0.0.1:2', '10.0.0.1:2'])
})

it('keeps no address of a released target', async () => {
  const { clients, events, use } = openClients(() => ({ host: '10.0.0.1', port: 1 }), true)
  await use()
  clients.release(target)
  expect(events).toEqual(['https://10.0.0.1:1', '-https://10.0.0.1:1'])
  // A request that was routed before the release still gets a client, which is closed afterwards.
  await use()
  expect([clients.lease(target) instanceof Promise, events.length]).toEqual([true, 4])
})
