import { AuditEvent } from './events/audit-event.ts'
import type { EventFields } from './events/audit-event.ts'

/** Creates an event for tests. */
export function createEvent(fields: Partial<EventFields> = {}): AuditEvent {
  return new AuditEvent({
    level: 'Metadata',
    auditId: 'id-1',
    stage: 'ResponseComplete',
    requestUri: '/api/v1/namespaces/default/pods/a',
    verb: 'get',
    user: { name: 'alice', groups: ['dev'] },
    impersonatedUser: undefined,
    impersonationConstraint: '',
    sourceIps: ['127.0.0.1'],
    userAgent: 'kubectl/v1.36.4',
    objectRef: undefined,
    status: { code: 200 },
    requestObject: undefined,
    responseObject: undefined,
    received: 1_767_322_245_000.25,
    reached: 1_767_322_245_001.5,
    annotations: undefined,
    ...fields,
  })
}
