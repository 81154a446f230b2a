import { setTimeout } from 'node:timers/promises'
import { credentials } from '@grpc/grpc-js'
import { ROOT_CONTEXT, SpanKind as ApiKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import type { Context, Span as ApiSpan, TextMapGetter, TextMapSetter, Tracer } from '@opentelemetry/api'
import { CompositePropagator, ExportResultCode, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { IncomingHttpHeaders } from 'node:http'
import type { SpanAttributes } from '@keelson/apimachinery'
import type { ExportedSpan, SpanKind, SpanScope, SpanSource, SpanStart } from './exported-span.ts'

export interface OpenTelemetryOptions {
  /** URL of the collector: `grpc://HOST:PORT`, or `unix://PATH`. */
  readonly url: string
  readonly samplingRatePerMillion: number
  /** Identity of this server, the attribute `service.instance.id` of all spans. */
  readonly instanceId: string
  /** Called with the reason when spans could not be sent. */
  readonly onExportError: (error: Error) => void
}

/** Maximum number of finished spans that wait for the collector. More are dropped. */
const maxQueueSize = 2048
/** Number of spans in one request. Encoding them takes a few milliseconds, during which no other request is served. */
const maxExportBatchSize = 128
/** Maximum time in milliseconds in which the waiting spans are sent when the server stops. */
const shutdownMs = 3000

const kinds: Readonly<Record<SpanKind, ApiKind>> = { internal: ApiKind.INTERNAL, server: ApiKind.SERVER, client: ApiKind.CLIENT }
/** Names of kube-apiserver's instrumentation, where the spans have the same meaning. */
const scopes: Readonly<Record<SpanScope, string>> = {
  steps: 'k8s.io/component-base/tracing',
  phases: 'k8s.op/apiserver/pkg/endpoints/filterlatency',
  http: '@keelson/tracing/http',
  grpc: '@keelson/tracing/grpc',
}

/** Creates a source of spans that sends them to a collector with the OTLP protocol over gRPC. It connects when it sends the first spans. */
export function createOpenTelemetrySource(options: OpenTelemetryOptions): SpanSource {
  const rate = options.samplingRatePerMillion
  const root = rate > 0 ? new TraceIdRatioBasedSampler(rate / 1_000_000) : new AlwaysOffSampler()
  const exporter = reportFailures(
    new OTLPTraceExporter({ url: options.url, credentials: credentials.createInsecure() }),
    options.onExportError,
  )
  const provider = new BasicTracerProvider({
    sampler: new ParentBasedSampler({ root }),
    resource: resourceFromAttributes({ 'service.name': 'apiserver', 'service.instance.id': options.instanceId }),
    spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize, maxExportBatchSize })],
  })
  const tracers = new Map(Object.entries(scopes).map(([scope, name]) => [scope, provider.getTracer(name)]))
  const start: StartSpan = ({ name, scope, kind = 'internal', attributes, started }, context, links) => {
    const span = (tracers.get(scope) as Tracer).startSpan(
      name,
      { kind: kinds[kind], ...(started !== undefined && { startTime: started }), ...(links && { links }) },
      context,
    )
    if (attributes !== undefined && span.isRecording()) span.setAttributes(typeof attributes === 'function' ? attributes() : attributes)
    return new OpenTelemetrySpan(span, context, start)
  }
  return {
    startRoot: (first) => start(first, ROOT_CONTEXT),
    startReceived(first, { headers, isTrusted, parent }) {
      const context = propagator.extract(ROOT_CONTEXT, headers, headerGetter)
      const remote = trace.getSpanContext(context)
      if (!isTrusted) return start(first, trace.deleteSpan(context), remote && [{ context: remote }])
      return start(first, remote === undefined ? (parent as OpenTelemetrySpan).enterSpan(context) : context)
    },
    shutdown: () => {
      const stopped = provider.shutdown().catch(options.onExportError)
      return Promise.race([stopped, setTimeout(shutdownMs, undefined, { ref: false })])
    },
  }
}

type StartSpan = (start: SpanStart, context: Context, links?: { readonly context: ReturnType<ApiSpan['spanContext']> }[]) => ExportedSpan

const propagator = new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] })
const headerGetter: TextMapGetter<IncomingHttpHeaders> = { keys: (headers) => Object.keys(headers), get: (headers, name) => headers[name] }
const headerSetter: TextMapSetter<Record<string, string>> = { set: (headers, name, value) => void (headers[name] = value) }

class OpenTelemetrySpan implements ExportedSpan {
  readonly #span: ApiSpan
  readonly #context: Context
  readonly #start: StartSpan

  constructor(span: ApiSpan, context: Context, start: StartSpan) {
    this.#span = span
    this.#context = trace.setSpan(context, span)
    this.#start = start
  }

  /** Returns the context with this span as the parent of new spans. */
  enterSpan(context: Context): Context {
    return trace.setSpan(context, this.#span)
  }

  startChild(start: SpanStart): ExportedSpan {
    // A trace that is not sampled has no spans to export, so all its spans are the same one.
    if (!this.#isSampled) return this
    return this.#start(start, this.#context)
  }

  get #isSampled(): boolean {
    return (this.#span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0
  }

  addEvent(name: string, attributes?: SpanAttributes): void {
    this.#span.addEvent(name, attributes)
  }

  setAttributes(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes)
  }

  recordError(error: unknown): void {
    this.#span.recordException(error instanceof Error ? error : String(error))
  }

  setFailed(message: string): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== '' && { message }) })
  }

  createHeaders(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {}
    propagator.inject(this.#context, headers, headerSetter)
    return headers
  }

  end(): void {
    if (this.#isSampled) this.#span.end()
  }
}

/** Reports failed exports. The processor itself drops the spans of a failed export without a message. */
function reportFailures(exporter: SpanExporter, onError: (error: Error) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) onError(result.error ?? new Error('the collector refused the spans'))
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush!() }),
  }
}
