import type { CallSpan, LazySpanAttributes, Span, SpanAttributes, StartedCall } from '@keelson/apimachinery'
import type { ExportedSpan } from './exported-span.ts'
import { LoggedTrace } from './trace-log.ts'
import type { TraceLog } from './trace-log.ts'

export interface RequestSpanParts {
  readonly auditId: string
  /** The exported span. Undefined if spans are not exported. */
  readonly exported: ExportedSpan | undefined
  /** The log of slow requests. Undefined if it is off. */
  readonly log: TraceLog | undefined
  /** The logged step. Undefined outside of logged steps. */
  readonly logged?: LoggedTrace | undefined
}

/** A step of a request. It is exported, recorded for the log of slow requests, or both. */
export class RequestSpan implements Span {
  readonly #options: RequestSpanParts

  constructor(options: RequestSpanParts) {
    this.#options = options
  }

  get auditId(): string {
    return this.#options.auditId
  }

  get exported(): ExportedSpan | undefined {
    return this.#options.exported
  }

  startChild(name: string, attributes?: LazySpanAttributes): Span {
    const { exported, log, logged } = this.#options
    return new RequestSpan({
      ...this.#options,
      exported: exported?.startChild({ name, scope: 'steps', attributes }),
      logged: log && (logged === undefined ? new LoggedTrace(log, name, attributes) : logged.startChild(name, attributes)),
    })
  }

  startPhase(name: string): Span {
    const { exported } = this.#options
    return exported === undefined ? this : new RequestSpan({ ...this.#options, exported: exported.startChild({ name, scope: 'phases' }) })
  }

  startCall({ name, protocol, attributes }: StartedCall): CallSpan {
    const { exported } = this.#options
    if (exported === undefined) return unrecordedCall
    return new ExportedCall(exported.startChild({ name, scope: protocol, kind: 'client', attributes }))
  }

  addEvent(name: string, attributes?: SpanAttributes): void {
    const { exported, logged } = this.#options
    exported?.addEvent(name, attributes)
    logged?.addStep(name, attributes)
  }

  recordError(error: unknown): void {
    this.#options.exported?.recordError(error)
  }

  end(logThresholdMs: number = Infinity): void {
    const { exported, logged } = this.#options
    exported?.end()
    logged?.end(logThresholdMs)
  }
}

class ExportedCall implements CallSpan {
  readonly #span: ExportedSpan

  constructor(span: ExportedSpan) {
    this.#span = span
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#span.createHeaders()
  }

  addEvent(name: string, attributes?: SpanAttributes): void {
    this.#span.addEvent(name, attributes)
  }

  setAttributes(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes)
  }

  end(failure?: string): void {
    if (failure !== undefined) this.#span.setFailed(failure)
    this.#span.end()
  }
}

const unrecordedCall: CallSpan = { headers: {}, addEvent: () => {}, setAttributes: () => {}, end: () => {} }
