import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import type { TransportConfig } from '@keelson/storagebackend'
import type { IOptions } from 'etcd3'
import { openRelay, type Relay } from './egress-relay.ts'
import { Endpoint } from './endpoint.ts'
import type { Egress } from './etcd3-options.ts'

type Credentials = NonNullable<IOptions['credentials']>

/** As the original sets them: a dead server is noticed after 40 s of silence. Reconnecting begins at once and never waits for minutes. */
const channel: NonNullable<IOptions['grpcOptions']> = {
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2000,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // Whether a call may be done again is decided in servers.ts alone.
  'grpc.enable_retries': 0,
  // `egress` is how to get out; a proxy for the web that the environment names is not.
  'grpc.enable_http_proxy': 0,
  // With HTTP/2's own 64 KB a large answer or a busy watch waits for the network's round trip over and over.
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
}

export interface Connected {
  readonly endpoints: readonly Endpoint[]
  close(): Promise<void>
}

/** Nothing is sent yet: connections are made by the first calls. */
export async function connect(transport: TransportConfig, egress: Egress | undefined): Promise<Connected> {
  const { serverList } = transport
  if (serverList.length === 0) throw new Error('no etcd server is given')
  const credentials = await readCredentials(transport)
  const relays: Relay[] = []
  const endpoints: Endpoint[] = []
  for (const server of serverList) {
    const address = server.replace(/\/+$/, '')
    const secure = address.startsWith('https://') || (credentials !== undefined && !address.startsWith('http://'))
    const own = secure && credentials ? { credentials } : {}
    if (!egress || address.startsWith('unix:')) {
      endpoints.push(new Endpoint(address, { hosts: address, grpcOptions: channel, ...own }))
      continue
    }
    const { host, hostname, port } = new URL(address.includes('://') ? address : `http://${address}`)
    const relay = await openRelay(() => egress(hostname.replace(/^\[|\]$/g, ''), Number(port)))
    relays.push(relay)
    const names = { 'grpc.default_authority': host, 'grpc.ssl_target_name_override': hostname }
    endpoints.push(
      new Endpoint(address, {
        hosts: `unix:${relay.path}`,
        grpcOptions: { ...channel, ...names },
        // The package tells by the scheme that TLS is wanted, and a relay's address has none.
        ...(secure && { credentials: credentials ?? { rootCertificate: Buffer.from(rootCertificates.join('\n')) } }),
      }),
    )
  }
  return {
    endpoints,
    async close() {
      for (const endpoint of endpoints) endpoint.close()
      await Promise.all(relays.map((relay) => relay.close()))
    },
  }
}

async function readCredentials({ trustedCAFile, keyFile, certFile }: TransportConfig): Promise<Credentials | undefined> {
  if (trustedCAFile === undefined && keyFile === undefined && certFile === undefined) return undefined
  if ((keyFile === undefined) !== (certFile === undefined))
    throw new Error('the certificate for etcd and its key go together: one of them is missing')
  const [rootCertificate, privateKey, certChain] = await Promise.all([read(trustedCAFile), read(keyFile), read(certFile)])
  return {
    rootCertificate: rootCertificate ?? Buffer.from(rootCertificates.join('\n')),
    ...(privateKey && { privateKey }),
    ...(certChain && { certChain }),
  }
}

async function read(file: string | undefined): Promise<Buffer | undefined> {
  return file === undefined ? undefined : readFile(file)
}
