import { hostname as readHostname } from 'node:os'
import { createServerId } from '@keelson/aggregator'
import { getErrorMessage } from '@keelson/apimachinery'
import { createRequestTracer, openSpanSource, readTracingConfiguration } from '@keelson/tracing'
import type { RequestTracer, SpanSource } from '@keelson/tracing'
import type { GenericConfig } from './build-generic-config.ts'
import type { LoggedOptions } from './chain.ts'
import { ConfigurationError } from './configuration-error.ts'

/** Minimum time between two messages about an unreachable collector, in milliseconds. */
const exportErrorPeriod = 60_000

/**
 * Builds the tracer of requests. It loads OpenTelemetry if a tracing configuration is set. Throws `ConfigurationError` with kube-apiserver's
 * words if the configuration is invalid.
 */
export async function buildTracing(options: LoggedOptions, config: Pick<GenericConfig, 'egress'>): Promise<RequestTracer> {
  const { tracingConfigFile: file, slowRequests: log } = options.diagnostics ?? {}
  const source = file === undefined ? undefined : await openSource(file, options, config)
  return createRequestTracer({ source, log })
}

async function openSource(file: string, options: LoggedOptions, { egress }: Pick<GenericConfig, 'egress'>): Promise<SpanSource> {
  const configuration = await readTracingConfiguration(file).catch((error: unknown) => {
    throw new ConfigurationError(getErrorMessage(error), { cause: error })
  })
  const { hostname = readHostname() } = options.peers ?? {}
  let reported = -Infinity
  return openSpanSource({
    configuration,
    instanceId: createServerId(hostname),
    ...(egress.hasProxy('controlplane') && {
      connect: (destination, signal) => egress.dial(destination, { network: 'controlplane', signal }),
    }),
    onExportError(error) {
      if (performance.now() - reported < exportErrorPeriod) return
      reported = performance.now()
      options.log(0, 'Traces cannot be exported', { err: error })
    },
  })
}
