import { AuditEvent } from './events/audit-event.ts'
import type { EventFields } from './events/audit-event.ts'
import { encodeRequest } from './events/event-json.ts'
import type { RequestFields } from './events/event-json.ts'

/** Creates an event for tests. */
export function createEvent(fields: Partial<Omit<EventFields, 'request'> & RequestFields> = {}): AuditEvent {
  const request = encodeRequest({
    requestUri: '/api/v1/namespaces/default/pods/a',
    verb: 'get',
    user: { name: 'alice', groups: ['dev'] },
    sourceIps: ['127.0.0.1'],
    userAgent: 'kubectl/v1.36.4',
    ...fields,
  })
  return new AuditEvent({
    level: 'Metadata',
    auditId: 'id-1',
    stage: 'ResponseComplete',
    impersonatedUser: undefined,
    impersonationConstraint: '',
    objectRef: undefined,
    status: { code: 200 },
    requestObject: undefined,
    responseObject: undefined,
    received: 1_767_322_245_000.25,
    reached: 1_767_322_245_001.5,
    annotations: undefined,
    templates: undefined,
    ...fields,
    request,
  })
}
