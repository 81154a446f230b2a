import type { Status, UserInfo } from '@keelson/apimachinery'
import type { AuditLevel, AuditStage } from '../policy/policy.ts'
import { eventHead, encodeEvent } from './event-json.ts'
import type { EncodedEvent, RequestTexts } from './event-json.ts'
import { createTemplate } from './event-template.ts'
import type { EventTemplate } from './event-template.ts'

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
  readonly auditId: string
  readonly request: RequestTexts
  readonly impersonatedUser: UserInfo | undefined
  readonly impersonationConstraint: string
  /** JSON of an `ObjectReference`. */
  readonly objectRef: string | undefined
  readonly status: EventStatus | undefined
  /** JSON of the object or of the patch in the request. */
  readonly requestObject: string | undefined
  readonly responseObject: string | undefined
  /** Time at which the request arrived, in milliseconds since 1970. May have a fraction. */
  readonly received: number
  /** Time at which the stage was reached. */
  readonly reached: number
  readonly annotations: Readonly<Record<string, string>> | undefined
  /** Templates of events of equal requests, if the line of this event may be the copy of one. */
  readonly templates: EventTemplate[] | undefined
}

/** Number of templates of a request. Most have two events. */
const maxTemplates = 3

/** An event of one stage of a request. Encoded at most once, however many backends take it. Its fields do not change. */
export class AuditEvent {
  readonly #fields: EventFields
  #encoded: EncodedEvent | undefined

  constructor(fields: EventFields) {
    this.#fields = fields
  }

  get #texts(): EncodedEvent {
    return (this.#encoded ??= encodeEvent(this.#fields))
  }

  get level(): AuditLevel {
    return this.#fields.level
  }

  /** Members of the event in JSON, with a closing brace and without an opening one. */
  get members(): string {
    const { head, objects, tail } = this.#texts
    return head + objects + tail
  }

  /** The event in JSON with its kind. */
  get line(): string {
    return `{${eventHead}${this.members}`
  }

  /** The template of the event's line. Undefined for events that are not like those of earlier requests. */
  get template(): EventTemplate | undefined {
    const fields = this.#fields
    const { templates } = fields
    if (templates === undefined) return undefined
    for (const known of templates) if (known.matches(fields)) return known
    const template = createTemplate(fields, this.#texts)
    if (template === undefined) return undefined
    if (templates.push(template) > maxTemplates) templates.shift()
    return template
  }

  /** Writes the line of the event, including a line feed, as a copy of its template. `target` has room for it. */
  writeCopy(template: EventTemplate, target: Buffer, at: number): void {
    template.write(target, at, this.#fields)
  }

  /** The event in JSON without the objects of the request and of the response, for messages about it. */
  get summary(): string {
    const { head, tail } = this.#texts
    return `{${head}${tail}`
  }

  /** Returns the event without the objects of the request and of the response, annotated as truncated. */
  withoutObjects(): AuditEvent {
    const annotations = { ...this.#fields.annotations, 'audit.k8s.io/truncated': 'true' }
    return new AuditEvent({ ...this.#fields, requestObject: undefined, responseObject: undefined, annotations, templates: undefined })
  }
}
