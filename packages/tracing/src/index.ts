export { createRequestTracer } from './request-tracer.ts'
export type { RequestTracer, RequestTracerOptions } from './request-tracer.ts'
export type { ExportedSpan, ReceivedRequest, SpanKind, SpanScope, SpanSource, SpanStart } from './exported-span.ts'
export type { TraceLog } from './trace-log.ts'
export { openSpanSource } from './open-span-source.ts'
export type { SpanSourceOptions } from './open-span-source.ts'
export {
  parseEndpoint,
  parseTracingConfiguration,
  readTracingConfiguration,
  validateTracingConfiguration,
} from './tracing-configuration.ts'
export type { CollectorAddress, TracingConfiguration } from './tracing-configuration.ts'
