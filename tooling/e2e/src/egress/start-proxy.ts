import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Destination } from '@keelson/outbound'
import { startHttpProxy, startKonnectivityServer } from '@keelson/outbound/testing'
import type { IssuedCertificates } from '../kubelet/issue-certificates.ts'

export const proxyKinds = ['HTTPConnect over TLS', 'HTTPConnect over a Unix socket', 'GRPC over a Unix socket'] as const
export type ProxyKind = (typeof proxyKinds)[number]

export interface RestartableProxy extends AsyncDisposable {
  /** EgressSelectorConfiguration that uses the proxy for all networks. */
  readonly configFile: string
  /** Addresses that the server requested so far, or since the last call of `forget`. */
  readonly addresses: readonly string[]
  forget(): void
  stop(): Promise<void>
  start(): Promise<void>
}

export interface ProxyOptions {
  readonly directory: string
  /** Certificates `proxy` and `apiserver`. */
  readonly certificates: IssuedCertificates
  /** Destinations by address. The proxy refuses other addresses. */
  readonly destinations: ReadonlyMap<string, Destination>
}

/** Starts a proxy of an egress selector and writes the configuration. */
export async function startProxy(kind: ProxyKind, { directory, certificates, destinations }: ProxyOptions): Promise<RestartableProxy> {
  const socket = path.join(directory, 'proxy.sock')
  const configFile = path.join(directory, 'egress.yaml')
  const addresses: string[] = []
  let port: number | undefined
  const route = (address: string): Destination | undefined => {
    addresses.push(address)
    return destinations.get(address)
  }
  const tls = {
    certificate: certificates.readText('proxy.pem'),
    key: certificates.readText('proxy.key'),
    clientAuthorities: certificates.readText('ca.pem'),
  }
  const open = async (): Promise<AsyncDisposable> => {
    if (kind === 'GRPC over a Unix socket') return startKonnectivityServer({ socket, route })
    if (kind === 'HTTPConnect over a Unix socket') return startHttpProxy({ socket, route })
    const proxy = await startHttpProxy({ tls, route, ...(port !== undefined && { port }) })
    port = proxy.port
    return proxy
  }
  let running: AsyncDisposable | undefined = await open()
  const transport =
    port === undefined
      ? { uds: { udsName: socket } }
      : {
          tcp: {
            url: `https://127.0.0.1:${port}`,
            tlsConfig: {
              caBundle: certificates.getPath('ca.pem'),
              clientCert: certificates.getPath('apiserver.pem'),
              clientKey: certificates.getPath('apiserver.key'),
            },
          },
        }
  const connection = { proxyProtocol: kind.split(' ')[0], transport }
  const egressSelections = ['etcd', 'controlplane', 'cluster'].map((name) => ({ name, connection }))
  writeFileSync(
    configFile,
    JSON.stringify({ apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration', egressSelections }),
  )
  const stop = async (): Promise<void> => {
    await running?.[Symbol.asyncDispose]()
    running = undefined
  }
  return {
    configFile,
    addresses,
    forget: () => void (addresses.length = 0),
    stop,
    start: async () => void (running ??= await open()),
    [Symbol.asyncDispose]: stop,
  }
}
