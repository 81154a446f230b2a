import type { Node } from '@keelson/api/core/v1'
import { newUnknownError } from '@keelson/apimachinery'
import type { DeepReadonly, RequestContext } from '@keelson/apimachinery'
import { readResult } from '@keelson/registry'
import type { DialRemote, Getter, Remote, RemoteTls } from '@keelson/registry'
import { kubeletDefaults } from './kubelet-defaults.ts'

export interface KubeletOptions {
  /** Kubelet port of nodes whose status has no port. */
  readonly port?: number
  /** Node address types in order of preference. */
  readonly preferredAddressTypes?: readonly string[]
  /** Connect timeout in milliseconds. */
  readonly timeoutMs?: number
  /**
   * Returns the TLS settings. Called for each connection, because certificates may be renewed. Default: no client certificate and no server
   * verification.
   */
  readonly readTls?: () => Promise<RemoteTls>
  /** Opens connections to kubelets, pods and endpoints of services. Default: direct connections. */
  readonly dial?: DialRemote
}

/** Connection parameters of a kubelet. */
export interface KubeletConnection {
  readonly remote: Omit<Remote, 'path' | 'query'>
  /** True if the kubelet supports all WebSocket protocol versions. */
  readonly speaksWebSocket: boolean
}

/** Returns the connection parameters of a node's kubelet. Throws ApiError if the node does not exist or has no usable address. */
export type KubeletClient = (context: RequestContext, nodeName: string) => Promise<KubeletConnection>

const acceptAnyCertificate = async (): Promise<RemoteTls> => ({ verify: false })

/** Creates a client that finds kubelets by the addresses in node statuses. */
export function createKubeletClient(nodes: Getter, options: KubeletOptions = {}): KubeletClient {
  const { port, preferredAddressTypes, timeoutMs, readTls = acceptAnyCertificate, dial } = { ...kubeletDefaults, ...options }
  return async (context, nodeName) => {
    const { status = {} } = readResult<Node>(await nodes.get(context, nodeName, {}))
    const reportedPort = status.daemonEndpoints?.kubeletEndpoint?.Port ?? 0
    return {
      remote: {
        scheme: 'https',
        host: choosePreferredAddress(status.addresses ?? [], preferredAddressTypes),
        port: String(reportedPort > 0 ? reportedPort : port),
        tls: await readTls(),
        connectTimeoutMs: timeoutMs,
        ...(dial && { dial }),
      },
      speaksWebSocket: (status.declaredFeatures ?? []).includes('ExtendWebSocketsToKubelet'),
    }
  }
}

type Addresses = NonNullable<DeepReadonly<NonNullable<Node['status']>>['addresses']>

function choosePreferredAddress(addresses: Addresses, types: readonly string[]): string {
  for (const preferred of types) {
    const address = addresses.find(({ type }) => type === preferred)
    if (address !== undefined) return address.address ?? ''
  }
  const knownAddresses = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ')
  throw newUnknownError(`no preferred addresses found; known addresses: [${knownAddresses}]`)
}
