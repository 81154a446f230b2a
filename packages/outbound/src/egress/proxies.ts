import { connect as connectSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getErrorMessage } from '@keelson/apimachinery'
import { hasCertificate, readPair, readText } from '../client-certificate.ts'
import { connect, dialDirectly, waitForConnect } from '../dial-tls.ts'
import type { TlsSettings } from '../dial-tls.ts'
import { OutboundError, toDialError } from '../failure.ts'
import type { EgressSelection, ProxyTls } from './egress-configuration.ts'
import type { ProxyLabels } from './egress-metrics.ts'
import { openHttpTunnel } from './http-connect.ts'

/** Opens the tunnel to an address, "host:port". Uses up the connection to the proxy. */
export type OpenTunnel = (address: string, signal: AbortSignal) => Promise<Duplex>

export interface Proxy {
  readonly labels: ProxyLabels
  /** Opens a connection to the proxy. Rejects with an `OutboundError`. */
  connect(signal: AbortSignal): Promise<OpenTunnel>
}

/** Creates the proxy of a validated configuration; undefined for direct connections. Rejects if a file is not valid. */
export async function createProxy({ proxyProtocol, transport = {} }: EgressSelection['connection']): Promise<Proxy | undefined> {
  if (proxyProtocol === 'Direct') return undefined
  const { tcp, uds } = transport
  const socketName = uds?.udsName ?? ''
  if (proxyProtocol === 'GRPC') {
    const { connectKonnectivity } = await import('./konnectivity/connect-konnectivity.ts')
    return {
      labels: { protocol: 'grpc', transport: 'uds' },
      connect: async (signal) => connectKonnectivity(await dialUnixSocket(socketName, signal), signal),
    }
  }
  if (uds !== undefined) {
    return {
      labels: { protocol: 'http_connect', transport: 'uds' },
      connect: async (signal) => createHttpConnect(await dialUnixSocket(socketName, signal), socketName),
    }
  }
  const { url = '', tlsConfig } = tcp ?? {}
  const tls = tlsConfig === undefined ? undefined : await readTls(tlsConfig)
  // `URL` would drop a port that is the scheme's default.
  const [, address = ''] = /^https?:\/\/([^/?#]*)/.exec(url) ?? []
  return {
    labels: { protocol: 'http_connect', transport: 'tcp' },
    connect: async (signal) => createHttpConnect(await dialTcp(address, tls, signal), address),
  }
}

function createHttpConnect(socket: Duplex, proxyAddress: string): OpenTunnel {
  return (address, signal) => openHttpTunnel(socket, { address, proxyAddress, signal })
}

async function dialUnixSocket(path: string, signal: AbortSignal): Promise<Duplex> {
  try {
    return await waitForConnect(connectSocket({ path }), signal)
  } catch (error) {
    throw toDialError(error, { path })
  }
}

async function dialTcp(address: string, tls: TlsSettings | undefined, signal: AbortSignal): Promise<Duplex> {
  const { hostname = '', port = '' } = /^(?<hostname>.*):(?<port>\d+)$/.exec(address)?.groups ?? {}
  if (port === '') throw new OutboundError('dial', `dial tcp: address ${address}: missing port in address`)
  const host = hostname.replace(/^\[|\]$/g, '')
  return connect({ host, port: Number(port) }, { dial: dialDirectly, network: 'direct', host, tls, protocols: [], signal })
}

/** Reads the TLS files of a proxy. Rejects with kube-apiserver's message. */
async function readTls({ clientCert = '', clientKey = '', caBundle = '', tlsServerName = '' }: ProxyTls): Promise<TlsSettings> {
  const pair = await readPair({ certificateFile: clientCert, keyFile: clientKey }).catch((error: unknown) => {
    throw new Error(`failed to read key pair ${clientCert} & ${clientKey}, got ${getErrorMessage(error)}`, { cause: error })
  })
  const serverName = tlsServerName === '' ? {} : { serverName: tlsServerName }
  if (caBundle === '') return { ...pair, ...serverName }
  const authorities = await readText(caBundle).catch((error: unknown) => {
    throw new Error(`failed to read cert file ${caBundle}, got ${getErrorMessage(error)}`, { cause: error })
  })
  if (!hasCertificate(authorities)) throw new Error('failed to append CA cert to the cert pool')
  return { ...pair, ...serverName, authorities }
}
