import type { Duplex } from 'node:stream'
import { dialDirectly } from '../dial-tls.ts'
import type { Dial, EgressNetwork } from '../dial-tls.ts'
import { joinHostAndPort } from '../failure.ts'
import type { EgressConfiguration } from './egress-configuration.ts'
import type { DialStage, EgressMetrics } from './egress-metrics.ts'
import { createProxy } from './proxies.ts'
import type { Proxy } from './proxies.ts'

export interface EgressSelectorOptions {
  readonly metrics?: EgressMetrics | undefined
}

/** Opens the connections of each network as an EgressSelectorConfiguration says. */
export interface EgressSelector {
  readonly dial: Dial
  /** Returns whether a network is reached through a proxy. */
  readonly hasProxy: (network: EgressNetwork) => boolean
}

/** Selector without a configuration: all connections are direct. */
export const directEgress: EgressSelector = { dial: dialDirectly, hasProxy: () => false }

/**
 * Creates an egress selector. A network with a proxy is reached only through that proxy: if the proxy fails, the dial fails. Other networks are
 * dialed directly. Reads the files of the proxies once. Rejects if a file is not valid.
 *
 * @example
 * const { dial } = await createEgressSelector(await readEgressConfiguration('/etc/kubernetes/egress.yaml'))
 * const dialer = createDialer({ dial })
 */
export async function createEgressSelector(
  { egressSelections }: EgressConfiguration,
  { metrics }: EgressSelectorOptions = {},
): Promise<EgressSelector> {
  const proxies = new Map<string, Proxy>()
  for (const { name, connection } of egressSelections) {
    const network = name.toLowerCase()
    try {
      const proxy = await createProxy(connection)
      if (proxy !== undefined) proxies.set(network, proxy)
    } catch (error) {
      const { message } = error as Error
      throw new Error(`failed to create dialer for egressSelection ${JSON.stringify(network)}: ${message}`, { cause: error })
    }
  }
  return {
    dial: (destination, options) => {
      const proxy = proxies.get(options.network)
      return proxy === undefined
        ? dialDirectly(destination, options)
        : dialThroughProxy(proxy, { address: joinHostAndPort(destination), signal: options.signal, metrics })
    },
    hasProxy: (network) => proxies.has(network),
  }
}

interface ProxiedDial {
  readonly address: string
  readonly signal: AbortSignal
  readonly metrics: EgressMetrics | undefined
}

async function dialThroughProxy(proxy: Proxy, { address, signal, metrics }: ProxiedDial): Promise<Duplex> {
  const startTime = performance.now()
  metrics?.startDial(proxy.labels)
  let stage: DialStage = 'connect'
  try {
    const openTunnel = await proxy.connect(signal)
    stage = 'proxy'
    const connection = await openTunnel(address, signal)
    metrics?.finishDial(proxy.labels, (performance.now() - startTime) / 1000)
    return connection
  } catch (error) {
    metrics?.failDial(proxy.labels, stage)
    throw error
  }
}
