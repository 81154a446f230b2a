import type { AnnotationLevel, LatencyLayer, RequestObject, Status, UserInfo } from '@keelson/apimachinery'

/** Records one request for the audit log. An exchange has one only while its request is audited. */
export interface RequestAudit {
  /** See `RequestContext`. */
  annotate(key: string, value: string, level?: AnnotationLevel): void
  /** See `RequestContext`. */
  addLatency(layer: LatencyLayer, milliseconds: number): void
  /** See `RequestContext`. */
  recordObject(object: RequestObject): void
  /**
   * Applies the policy to a request whose user is known, and records its arrival. Returns false, or a promise of false, if the event must be
   * stored before the request is served and cannot be.
   */
  begin(): boolean | Promise<boolean>
  /** Applies the policy to a request that is refused before it is authorized. Only its response is recorded, with this message. */
  beginRefused(message: string): void
  /** Annotates the decision of the authorizer and its reason. */
  recordDecision(decision: 'allow' | 'forbid', reason: string): void
  /** Records that a handler failed because of a bug. */
  recordPanic(error: unknown): void
  /** True if the event contains the object of the response. */
  readonly recordsResponse: boolean
  /** Records the patch of a request as its object. */
  recordPatch(patch: Uint8Array): void
  /** Records the user that an impersonating request runs as. `constraint` is the verb that allowed it, or "". */
  recordImpersonation(user: UserInfo, constraint: string): void
  /** Records that the API version is deprecated. `removalRelease` is the release that removes it, or "". Only the last event tells it. */
  recordDeprecation(removalRelease: string): void
  recordStatus(status: Status): void
  /** Records that the object of the response is encoded from now on. Its latency is measured until the response is complete. */
  beginEncoding(): void
  /** Records the object of the response, as JSON. Long lists are divided: see `formatItem`. */
  recordResponse(json: string): void
  /** Returns the JSON of an item of a list, or of a row of a table, as the event contains it. */
  formatItem(json: string, kind: 'object' | 'row'): string
  /** Records a list or a table whose items `formatItem` has returned. */
  recordList(json: string): void
  /** Records that the headers of the response are sent. Later calls have no effect. */
  respond(code: number): void
  /**
   * Records the end of the request, before the last byte of the response is sent. Returns a promise if the response must wait until the event
   * is stored. Later calls have no effect.
   */
  complete(): Promise<void> | undefined
}
