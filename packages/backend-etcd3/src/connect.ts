import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { checkServerIdentity, createSecureContext, rootCertificates, type SecureContext, type SecureContextOptions } from 'node:tls'
import type { ChannelCredentials, credentials } from '@grpc/grpc-js'
import { trimRight } from '@keelson/apimachinery'
import { openRelay, type Relay } from '@keelson/outbound'
import type { TransportConfig } from '@keelson/storagebackend'
import type { IOptions } from 'etcd3'
import { createDial } from './dial.ts'
import { Endpoint } from './endpoint.ts'
import type { Egress } from './etcd3-options.ts'
import { Http2Channel } from './http2-channel.ts'
import { TransportError } from './transport-error.ts'

type Credentials = NonNullable<IOptions['credentials']>

/**
 * Settings of the gRPC channel, as in kube-apiserver. A dead server is detected after 40 s of silence. Reconnection starts immediately, and the
 * delay between attempts stays short.
 */
const channel: NonNullable<IOptions['grpcOptions']> = {
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2000,
  'grpc.max_receive_message_length': -1,
  'grpc.max_send_message_length': -1,
  // gRPC must not retry calls, because only servers.ts decides about retries.
  'grpc.enable_retries': 0,
  // gRPC must not use the HTTP proxy of the environment. Proxies are configured through `egress`.
  'grpc.enable_http_proxy': 0,
  // HTTP/2's default is 64 KB. With it, a large response or a busy watch waits for many network round trips.
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
}

export interface Connected {
  readonly endpoints: readonly Endpoint[]
  close(): Promise<void>
}

/** Creates the endpoints of all servers. An endpoint connects on its first call. */
export async function connect(transport: TransportConfig, egress: Egress | undefined): Promise<Connected> {
  const { serverList } = transport
  if (serverList.length === 0) throw new TransportError('the list of etcd servers is empty')
  const files = await readCredentials(transport)
  const relays: Relay[] = []
  const endpoints: Endpoint[] = []
  for (const server of serverList) {
    const address = trimRight(server, '/')
    if (address.startsWith('unix:')) {
      const path = address.replace(/^unix:(\/\/)?/, '')
      const socketChannel = new Http2Channel({ dial: createDial({ target: { path } }), authority: 'localhost', scheme: 'http' })
      endpoints.push(new Endpoint({ address, options: { hosts: address, grpcOptions: channel }, channel: socketChannel }))
      continue
    }
    const isSecure = address.startsWith('https://') || (files !== undefined && !address.startsWith('http:'))
    const tls = isSecure ? (files ?? { rootCertificate: joinSystemAuthorities() }) : undefined
    const scheme = isSecure ? 'https' : 'http'
    const { host, hostname: written, port: writtenPort } = new URL(address.includes('://') ? address : `${scheme}://${address}`)
    const hostname = written.replace(/^\[|\]$/g, '')
    const port = Number(writtenPort) || (isSecure ? 443 : 80)
    const isAddress = isIP(hostname) !== 0
    const grpcOptions = { ...channel }
    if (tls && isAddress) grpcOptions['grpc.ssl_target_name_override'] = namelessServer
    let hosts = address
    if (egress) {
      const relay = await openRelay((signal) => egress(hostname, port, signal))
      relays.push(relay)
      hosts = `unix:${relay.path}`
      grpcOptions['grpc.default_authority'] = host
      if (!isAddress) grpcOptions['grpc.ssl_target_name_override'] = hostname
    }
    const credentials = tls && isAddress ? createAddressCredentials(hostname, tls) : undefined
    const dial = createDial({ target: { hostname, port }, egress, secureContext: tls && buildSecureContext(tls) })
    endpoints.push(
      new Endpoint({
        address,
        options: { hosts, grpcOptions, ...(tls && { credentials: tls }) },
        credentials,
        channel: new Http2Channel({ dial, authority: host, scheme }),
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
    throw new TransportError(
      `etcd needs a client certificate together with its key: the ${keyFile === undefined ? 'key' : 'certificate'} is missing`,
    )
  const [rootCertificate, privateKey, certChain] = await Promise.all([
    readTlsFile(trustedCAFile),
    readTlsFile(keyFile),
    readTlsFile(certFile),
  ])
  if (rootCertificate) checkPem(`the certificate authority of etcd in ${trustedCAFile} is not PEM`, { ca: rootCertificate })
  if (privateKey && certChain) {
    checkPem(`the client key for etcd in ${keyFile} is not a PEM key`, { key: privateKey })
    checkPem(`the client certificate for etcd in ${certFile} is not PEM`, { cert: certChain })
    checkPem(`the client key for etcd in ${keyFile} does not match the certificate in ${certFile}`, { key: privateKey, cert: certChain })
  }
  return {
    rootCertificate: rootCertificate ?? joinSystemAuthorities(),
    ...(privateKey && { privateKey }),
    ...(certChain && { certChain }),
  }
}

function checkPem(problem: string, options: SecureContextOptions): void {
  try {
    createSecureContext(options)
  } catch (cause) {
    throw new TransportError(`${problem} (${(cause as Error).message})`, { cause })
  }
}

function buildSecureContext({ rootCertificate, privateKey, certChain }: Credentials): SecureContext {
  return createSecureContext({ ca: rootCertificate, key: privateKey, cert: certChain })
}

async function readTlsFile(file: string | undefined): Promise<Buffer | undefined> {
  if (file === undefined) return undefined
  try {
    return await readFile(file)
  } catch (cause) {
    throw new TransportError(`cannot read a TLS file for etcd: ${(cause as Error).message}`, { cause })
  }
}

function joinSystemAuthorities(): Buffer {
  return Buffer.from(rootCertificates.join('\n'))
}

/**
 * Server name for the TLS handshake with a server that is addressed by IP. Node refuses to send an IP address, but the gRPC library always sends
 * a name.
 */
const namelessServer = 'etcd.invalid'

/** Creates TLS credentials for a server that is addressed by IP. The server's certificate must be valid for that address. */
function createAddressCredentials(address: string, { rootCertificate, privateKey, certChain }: Credentials): ChannelCredentials {
  // Loads the copy of the gRPC library that etcd3 uses, because etcd3 does not accept credentials of another copy.
  const require = createRequire(createRequire(import.meta.url).resolve('etcd3'))
  const grpc = require('@grpc/grpc-js') as { readonly credentials: typeof credentials }
  return grpc.credentials.createSsl(rootCertificate, privateKey, certChain, {
    checkServerIdentity: (_name, certificate) => checkServerIdentity(address, certificate),
  })
}
