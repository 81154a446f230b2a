import { connect as connectSocket } from 'node:net'
import type { Duplex } from 'node:stream'
import { joinHostAndPort, openRelay } from '@keelson/outbound'
import type { Destination, Relay } from '@keelson/outbound'
import type { SpanSource } from './exported-span.ts'
import { parseEndpoint } from './tracing-configuration.ts'
import type { TracingConfiguration } from './tracing-configuration.ts'

export interface SpanSourceOptions {
  readonly configuration: TracingConfiguration
  /** Identity of this server in the collector. */
  readonly instanceId: string
  /** Opens connections to the collector, for example through the proxy of an egress selector. Default: the gRPC library does. */
  readonly connect?: ((destination: Destination, signal: AbortSignal) => Promise<Duplex>) | undefined
  /** Called with the reason when spans could not be sent. */
  readonly onExportError: (error: Error) => void
}

/** Loads OpenTelemetry and opens the source of exported spans. It connects to the collector when it sends the first spans. */
export async function openSpanSource({ configuration, instanceId, connect, onExportError }: SpanSourceOptions): Promise<SpanSource> {
  const { createOpenTelemetrySource } = await import('./open-telemetry.ts')
  const relay = await openNeededRelay(configuration, connect)
  const address = parseEndpoint(configuration.endpoint)
  const source = createOpenTelemetrySource({
    url: relay !== undefined ? `unix://${relay.path}` : 'path' in address ? `unix://${address.path}` : `grpc://${joinHostAndPort(address)}`,
    samplingRatePerMillion: configuration.samplingRatePerMillion ?? 0,
    instanceId,
    onExportError,
  })
  return {
    ...source,
    async shutdown() {
      await source.shutdown()
      await relay?.close()
    },
  }
}

/** Opens a relay to the collector if the gRPC library cannot connect itself: through a proxy, or to an abstract Unix socket. */
async function openNeededRelay({ endpoint }: TracingConfiguration, connect: SpanSourceOptions['connect']): Promise<Relay | undefined> {
  const address = parseEndpoint(endpoint)
  if ('path' in address) return address.path.startsWith('\0') ? openRelay(() => connectTo(address)) : undefined
  return connect && openRelay((signal) => connect(address, signal))
}

function connectTo({ path }: { readonly path: string }): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ path })
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}
