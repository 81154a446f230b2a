import type { Status, UserInfo } from '@keelson/apimachinery'
import type { AuditLevel, AuditStage } from '../policy/policy.ts'
import { eventHead, encodeEventMembers } from './event-json.ts'

/** The object of a request, as far as it is known. Empty texts are absent. */
export interface ObjectReference {
  resource: string
  namespace: string
  name: string
  uid: string
  apiGroup: string
  apiVersion: string
  resourceVersion: string
  subresource: string
}

/** The status of a response in an event. Responses without a Status object have only a code. */
export type EventStatus = Partial<Pick<Status, 'status' | 'message' | 'reason' | 'details'>> & { readonly code?: number }

export interface EventFields {
  readonly level: AuditLevel
  readonly auditId: string
  readonly stage: AuditStage
  readonly requestUri: string
  readonly verb: string
  readonly user: UserInfo
  readonly impersonatedUser: UserInfo | undefined
  readonly impersonationConstraint: string
  readonly sourceIps: readonly string[]
  readonly userAgent: string
  readonly objectRef: Readonly<ObjectReference> | undefined
  readonly status: EventStatus | undefined
  /** JSON of the object or of the patch in the request. */
  readonly requestObject: string | undefined
  readonly responseObject: string | undefined
  /** Time at which the request arrived, in milliseconds since 1970. May have a fraction. */
  readonly received: number
  /** Time at which the stage was reached. */
  readonly reached: number
  readonly annotations: Readonly<Record<string, string>> | undefined
}

/** An event without the objects of the request and of the response, for messages about it. */
export type EventSummary = Omit<EventFields, 'requestObject' | 'responseObject'>

/** An event of one stage of a request. Encoded at most once, however many backends take it. */
export class AuditEvent {
  readonly fields: EventFields
  #members: string | undefined

  constructor(fields: EventFields) {
    this.fields = fields
  }

  get level(): AuditLevel {
    return this.fields.level
  }

  /** What backends keep of an event while it waits, next to its encoded form. */
  get summary(): EventSummary {
    if (this.fields.requestObject === undefined && this.fields.responseObject === undefined) return this.fields
    const { requestObject: _, responseObject: __, ...summary } = this.fields
    return summary
  }

  /** Members of the event in JSON, with a closing brace and without an opening one. */
  get members(): string {
    return (this.#members ??= encodeEventMembers(this.fields))
  }

  /** The event in JSON with its kind. */
  get line(): string {
    return `{${eventHead}${this.members}`
  }

  /** Returns the event without the objects of the request and of the response, annotated as truncated. */
  withoutObjects(): AuditEvent {
    const annotations = { ...this.fields.annotations, 'audit.k8s.io/truncated': 'true' }
    return new AuditEvent({ ...this.fields, requestObject: undefined, responseObject: undefined, annotations })
  }
}
