import type { Node } from '@keelson/api/core/v1'
import { newUnknownError } from '@keelson/apimachinery'
import type { DeepReadonly, RequestContext } from '@keelson/apimachinery'
import { readResult } from '@keelson/registry'
import type { Getter, Remote, RemoteTls } from '@keelson/registry'

export interface KubeletOptions {
  /** For nodes that do not say theirs. Default 10250. */
  readonly port?: number
  /** Which of a node's addresses to take, the best first. Default: host name, then internal, then external ones. */
  readonly preferredAddressTypes?: readonly string[]
  /** How long it may take until a kubelet listens. Default 5 s. */
  readonly timeoutMs?: number
  /** Asked for each connection: certificates may be renewed. Default: no certificate is shown, and any is believed. */
  readonly tls?: () => Promise<RemoteTls>
}

/** A node's kubelet, ready to be asked. */
export interface KubeletConnection {
  readonly remote: Omit<Remote, 'path' | 'query'>
  /** It speaks WebSocket with clients itself, in every version there is. */
  readonly speaksWebSocket: boolean
}

/** Throws ApiError: no such node, or none of its addresses will do. */
export type KubeletClient = (context: RequestContext, nodeName: string) => Promise<KubeletConnection>

const defaultAddressTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP']
const anyCertificate = async (): Promise<RemoteTls> => ({ verify: false })

/** Where kubelets are is what their nodes say. */
export function createKubeletClient(nodes: Getter, options: KubeletOptions = {}): KubeletClient {
  const { port = 10_250, preferredAddressTypes = defaultAddressTypes, timeoutMs = 5000, tls = anyCertificate } = options
  return async (context, nodeName) => {
    const { status = {} } = readResult<Node>(await nodes.get(context, nodeName, {}))
    const own = status.daemonEndpoints?.kubeletEndpoint?.Port ?? 0
    return {
      remote: {
        scheme: 'https',
        host: preferredAddress(status.addresses ?? [], preferredAddressTypes),
        port: String(own > 0 ? own : port),
        tls: await tls(),
        connectTimeoutMs: timeoutMs,
      },
      speaksWebSocket: (status.declaredFeatures ?? []).includes('ExtendWebSocketsToKubelet'),
    }
  }
}

type Addresses = NonNullable<DeepReadonly<NonNullable<Node['status']>>['addresses']>

function preferredAddress(addresses: Addresses, types: readonly string[]): string {
  for (const wanted of types) {
    const found = addresses.find(({ type }) => type === wanted)
    if (found !== undefined) return found.address ?? ''
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(' ')
  throw newUnknownError(`no preferred addresses found; known addresses: [${known}]`)
}
