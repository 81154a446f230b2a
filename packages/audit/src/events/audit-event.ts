import type { Status, UserInfo } from '@keelson/apimachinery'
import type { AuditLevel, AuditStage } from '../policy/policy.ts'
import { eventHead, encodeEvent } from './event-json.ts'
import type { EncodedEvent, RequestTexts } from './event-json.ts'

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
  readonly stage: AuditStage
  readonly request: RequestTexts
  readonly impersonatedUser: UserInfo | undefined
  readonly impersonationConstraint: string
  /** JSON of an `ObjectReference`. */
  readonly objectRef: string | undefined
  readonly status: EventStatus | undefined
  /** JSON of the object or of the patch in the request. */
  readonly requestObject: string | undefined
  readonly responseObject: string | undefined
  /** Time at which the stage was reached, in milliseconds since 1970. May have a fraction. Undefined: when the request arrived. */
  readonly reached: number | undefined
  readonly annotations: Readonly<Record<string, string>> | undefined
}

/** An event of one stage of a request. Encoded once, however many backends take it. */
export class AuditEvent {
  readonly #fields: EventFields
  readonly #encoded: EncodedEvent

  constructor(fields: EventFields) {
    this.#fields = fields
    this.#encoded = encodeEvent(fields)
  }

  get level(): AuditLevel {
    return this.#fields.level
  }

  /** Members of the event in JSON, with a closing brace and without an opening one. */
  get members(): string {
    const { head, objects, tail } = this.#encoded
    return head + objects + tail
  }

  /** The event in JSON with its kind. */
  get line(): string {
    return `{${eventHead}${this.members}`
  }

  /** The event in JSON without the objects of the request and of the response, for messages about it. */
  get summary(): string {
    const { head, tail } = this.#encoded
    return `{${head}${tail}`
  }

  /** Returns the event without the objects of the request and of the response, annotated as truncated. */
  withoutObjects(): AuditEvent {
    const annotations = { ...this.#fields.annotations, 'audit.k8s.io/truncated': 'true' }
    return new AuditEvent({ ...this.#fields, requestObject: undefined, responseObject: undefined, annotations })
  }
}
