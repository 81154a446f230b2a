import { formatDuration, getErrorMessage, stringifyJson } from '@keelson/apimachinery'
import type { AnnotationLevel, LatencyLayer, RequestInfo, RequestObject, Status, UserInfo } from '@keelson/apimachinery'
import { LayerLatencies } from '@keelson/exchange'
import type { Exchange, RequestAudit } from '@keelson/exchange'
import type { AuditorOptions } from './auditor.ts'
import { AuditEvent } from './events/audit-event.ts'
import type { EventStatus, ObjectReference } from './events/audit-event.ts'
import { annotateDecision, encodeReference, encodeRequest } from './events/event-json.ts'
import type { RequestTexts } from './events/event-json.ts'
import type { AuditConfig } from './policy/evaluate-policy.ts'
import { auditLevels } from './policy/policy.ts'
import type { AuditLevel, AuditStage } from './policy/policy.ts'
import { findSourceIps } from './source-ips.ts'
import { withoutManagedFields, withoutManagedFieldsOfItem } from './without-managed-fields.ts'

export interface RecordServices extends Pick<AuditorOptions, 'evaluate' | 'metrics' | 'isStrict'> {
  /** Counts an event and passes it to the backend. */
  readonly record: (event: AuditEvent) => Promise<boolean> | undefined
  /** Returns the milliseconds to add to `performance.now()` for the time since 1970. */
  readonly measureClockOffset: () => number
}

/** Maximum length of a user agent in an event. */
const maxUserAgent = 1024
/** Latency in milliseconds above which an event tells it. */
const slowMs = 500
const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options'])

/** The last request of a connection. Clients often repeat requests, such as those for leases and nodes. */
interface LastRequest {
  readonly requestUri: string
  readonly verb: string
  readonly user: UserInfo
  readonly userAgent: string
  readonly texts: RequestTexts
}

const lastRequests = new WeakMap<object, LastRequest>()

/** Statuses of responses that have only a code, by code. */
const codeStatuses: EventStatus[] = []

function createReference({ resource, namespace, name, apiGroup, apiVersion, subresource }: RequestInfo): ObjectReference {
  return { resource, namespace, name, uid: '', apiGroup, apiVersion, resourceVersion: '', subresource }
}

function completeAudit(exchange: Exchange): void {
  void exchange.audit?.complete()
}

/** Collects what is recorded of one request, and creates its events. */
export class AuditRecord implements RequestAudit {
  readonly #exchange: Exchange
  readonly #services: RecordServices
  /** Offset of the system clock to `performance.now()`. All times of a request use the same, so that they are in order. */
  readonly #clockOffset: number
  #config: AuditConfig | undefined
  /** Shared with other requests unless the request has annotations of its own. */
  #annotations: Readonly<Record<string, string>> | undefined
  #requestAnnotations: Record<string, string> | undefined
  /** Milliseconds in the layers that every request passes. */
  #authenticationMs = 0
  #authorizationMs = 0
  #storageMs = 0
  /** Milliseconds in other layers. */
  #latencies: LayerLatencies | undefined
  /** JSON of the reference to the object. Undefined for requests without one. */
  #referenceText: string | undefined
  #impersonatedUser: UserInfo | undefined
  #constraint = ''
  #requestObject: string | undefined
  #responseObject: string | undefined
  #status: EventStatus | undefined
  /** True if an equal request may have events with other members, apart from ids, times, the code and the decision. */
  #isSpecial = false
  #request: RequestTexts | undefined
  /** Release that removes the requested version, or "". Undefined if the version is not deprecated. */
  #removalRelease: string | undefined
  /** Time at which the encoding of the response began, as returned by `performance.now()`. */
  #encodingBegan: number | undefined
  #hasResponded = false
  #isComplete = false
  /** True for a request that was refused before its authorization. Its only event is that of its response. */
  #isRefused = false

  constructor(exchange: Exchange, services: RecordServices) {
    this.#exchange = exchange
    this.#services = services
    this.#clockOffset = services.measureClockOffset()
  }

  get #level(): AuditLevel {
    return this.#config?.level ?? 'None'
  }

  #has(level: AuditLevel): boolean {
    return auditLevels.indexOf(this.#level) >= auditLevels.indexOf(level)
  }

  get recordsResponse(): boolean {
    return this.#level === 'RequestResponse'
  }

  begin(): boolean | Promise<boolean> {
    if (!this.#applyPolicy()) return true
    this.#exchange.onEnd(completeAudit)
    const stored = this.#record('RequestReceived')
    if (stored === undefined) return true
    // A short read changes nothing, so it need not wait: its response is sent after its events are stored.
    if (!this.#services.isStrict) return this.#isShortRead || stored.then(() => true)
    return stored.then((isStored) => {
      if (!isStored) this.#services.metrics.countRejection()
      return isStored
    })
  }

  get #isShortRead(): boolean {
    const { attributes, isLongRunning } = this.#exchange
    return readVerbs.has(attributes.verb) && !isLongRunning
  }

  beginRefused(message: string): void {
    if (!this.#applyPolicy()) return
    this.#isRefused = true
    this.#isSpecial = true
    this.#status = { message }
  }

  /** Returns false, and removes the record, if the policy excludes the request. */
  #applyPolicy(): boolean {
    const exchange = this.#exchange
    const { attributes, requestor } = exchange
    const config = this.#services.evaluate(requestor, attributes)
    this.#services.metrics.countLevel(config.level)
    if (config.level === 'None') {
      exchange.setAudit(undefined)
      return false
    }
    this.#config = config
    const texts = this.#encodeRequest()
    this.#request = texts
    if (attributes.isResourceRequest) this.#referenceText = texts.objectRef ??= encodeReference(createReference(attributes))
    return true
  }

  /** Encodes what the client sent. The texts of the last request of a connection are used again for an equal request. */
  #encodeRequest(): RequestTexts {
    const { incoming, userAgent, target, requestor, attributes } = this.#exchange
    const { socket, headers } = incoming
    const isForwarded = headers['x-forwarded-for'] !== undefined || headers['x-real-ip'] !== undefined
    const last = lastRequests.get(socket)
    if (
      last !== undefined &&
      !isForwarded &&
      last.requestUri === target.text &&
      last.verb === attributes.verb &&
      last.user === requestor &&
      last.userAgent === userAgent
    ) {
      // Ids of clients may need escapes.
      if (headers['audit-id'] === undefined) last.texts.templates ??= []
      else this.#isSpecial = true
      return last.texts
    }
    const texts = encodeRequest({
      requestUri: target.text,
      verb: attributes.verb,
      user: requestor,
      sourceIps: findSourceIps(this.#exchange),
      userAgent: userAgent.length > maxUserAgent ? `${userAgent.slice(0, maxUserAgent)}...TRUNCATED` : userAgent,
    })
    if (!isForwarded) lastRequests.set(socket, { requestUri: target.text, verb: attributes.verb, user: requestor, userAgent, texts })
    return texts
  }

  annotate(key: string, value: string, level: AnnotationLevel = 'Metadata'): void {
    this.#isSpecial = true
    // The first value of a key stays.
    if (level === 'Request') (this.#requestAnnotations ??= {})[key] ??= value
    else if (this.#annotations?.[key] === undefined) this.#annotations = { ...this.#annotations, [key]: value }
  }

  recordDecision(decision: 'allow' | 'forbid', reason: string): void {
    const annotations = annotateDecision(decision, reason)
    this.#annotations = this.#annotations === undefined ? annotations : { ...annotations, ...this.#annotations }
  }

  addLatency(layer: LatencyLayer, milliseconds: number): void {
    switch (layer) {
      case 'authentication':
        this.#authenticationMs += milliseconds
        break
      case 'authorization':
        this.#authorizationMs = Math.max(this.#authorizationMs, milliseconds)
        break
      case 'etcd':
        this.#storageMs += milliseconds
        break
      default:
        ;(this.#latencies ??= new LayerLatencies()).add(layer, milliseconds)
    }
  }

  recordObject(object: RequestObject): void {
    this.#isSpecial = true
    const { metadata } = object
    if (this.#referenceText !== undefined && metadata !== undefined) {
      const reference = createReference(this.#exchange.attributes)
      reference.namespace ||= metadata.namespace ?? ''
      reference.name ||= metadata.name ?? ''
      reference.uid = metadata.uid ?? ''
      reference.resourceVersion = metadata.resourceVersion ?? ''
      this.#referenceText = encodeReference(reference)
    }
    if (this.#has('Request')) this.#requestObject = object.encode({ omitManagedFields: this.#config!.omitManagedFields })
  }

  recordPatch(patch: Uint8Array): void {
    this.#isSpecial = true
    if (this.#has('Request')) this.#requestObject = Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength).toString()
  }

  recordImpersonation(user: UserInfo, constraint: string): void {
    this.#isSpecial = true
    this.#impersonatedUser = user
    this.#constraint = constraint
  }

  recordDeprecation(removalRelease: string): void {
    this.#removalRelease = removalRelease
  }

  recordStatus(status: Status): void {
    const { status: outcome, message, reason, details, code } = status
    this.#isSpecial = true
    this.#status = {
      ...(outcome && { status: outcome }),
      ...(message && { message }),
      ...(reason && { reason }),
      ...(details && { details }),
      ...(code && { code }),
    }
    if (this.recordsResponse) this.#responseObject = stringifyJson(status)
  }

  beginEncoding(): void {
    this.#encodingBegan = performance.now()
  }

  recordResponse(json: string): void {
    this.recordList(this.#config!.omitManagedFields ? withoutManagedFields(json) : json)
  }

  formatItem(json: string, kind: 'object' | 'row'): string {
    return this.#config!.omitManagedFields ? withoutManagedFieldsOfItem(json, kind) : json
  }

  recordList(json: string): void {
    this.#isSpecial = true
    this.#responseObject = json
  }

  respond(code: number): void {
    if (this.#hasResponded || this.#config === undefined) return
    this.#hasResponded = true
    this.#status = this.#status === undefined ? (codeStatuses[code] ??= { code }) : { ...this.#status, code }
    if (this.#isRefused || this.#exchange.isLongRunning) void this.#record('ResponseStarted')
  }

  complete(): Promise<void> | undefined {
    if (this.#isComplete || this.#config === undefined || this.#isRefused) return undefined
    this.#isComplete = true
    if (!this.#hasResponded) {
      this.#hasResponded = true
      this.#isSpecial = true
      this.#status = { code: 200, status: 'Success', message: 'Connection closed early' }
      if (this.#exchange.isLongRunning) void this.#record('ResponseStarted')
    }
    const completed = performance.now()
    const latency = completed - this.#exchange.started
    if (latency > slowMs) this.#annotateLatencies(latency)
    if (this.#removalRelease !== undefined) this.annotate('k8s.io/deprecated', 'true')
    if (this.#removalRelease) this.annotate('k8s.io/removed-release', this.#removalRelease)
    return this.#record('ResponseComplete', completed)?.then(() => {})
  }

  #annotateLatencies(total: number): void {
    if (this.#encodingBegan !== undefined) this.addLatency('serialize-response-object', performance.now() - this.#encodingBegan)
    const annotateLayer = (layer: string, milliseconds: number): void =>
      this.annotate(`apiserver.latency.k8s.io/${layer}`, formatDuration(BigInt(Math.round(milliseconds * 1e6))))
    const layers = [
      ['authentication', this.#authenticationMs],
      ['authorization', this.#authorizationMs],
      ['etcd', this.#storageMs],
      ...(this.#latencies ?? []),
    ] as const
    for (const [layer, milliseconds] of layers) if (milliseconds > 0) annotateLayer(layer, milliseconds)
    annotateLayer('total', total)
  }

  recordPanic(error: unknown): void {
    if (this.#isComplete || this.#config === undefined || this.#isRefused) return
    this.#isComplete = true
    this.#hasResponded = true
    const message = `APIServer panic'd: ${getErrorMessage(error)}`
    this.#isSpecial = true
    this.#status = { status: 'Failure', reason: 'InternalError', message, code: 500 }
    void this.#record('Panic')
  }

  /** Records a stage that was reached at a time of `performance.now()`. Default: now. */
  #record(stage: AuditStage, reached?: number): Promise<boolean> | undefined {
    const config = this.#config!
    if (config.omitStages.has(stage)) return undefined
    const exchange = this.#exchange
    const request = this.#request!
    const received = exchange.started + this.#clockOffset
    const event = new AuditEvent({
      level: config.level,
      auditId: exchange.requestId,
      stage,
      request,
      impersonatedUser: this.#impersonatedUser,
      impersonationConstraint: this.#constraint,
      objectRef: this.#referenceText,
      status: this.#status,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      received,
      reached: stage === 'RequestReceived' ? received : (reached ?? performance.now()) + this.#clockOffset,
      annotations: this.#joinAnnotations(),
      templates: this.#isSpecial ? undefined : request.templates,
    })
    return this.#services.record(event)
  }

  #joinAnnotations(): Record<string, string> | undefined {
    const extra = this.#has('Request') ? this.#requestAnnotations : undefined
    if (extra === undefined) return this.#annotations
    return { ...extra, ...this.#annotations }
  }
}
