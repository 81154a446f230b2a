import type { Event } from '@keelson/api/core/v1'
import { isPathSegmentName } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { eventColumns } from './columns.ts'
import { eventFieldLabels, convertEventFromHub, convertEventToHub } from './convert.ts'
import { validateEvent, validateEventUpdate } from './validate.ts'

export const events: ResourceDefinition<Event> = defineResource<Event>({
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
  shortNames: ['ev'],
  alsoServedAs: [
    { group: 'events.k8s.io', version: 'v1', toHub: convertEventToHub, fromHub: convertEventFromHub, fieldLabels: eventFieldLabels },
  ],
  strategy: {
    validateCreate: ({ attributes: info }, event) => validateEvent(event, { group: info.apiGroup, version: info.apiVersion }),
    validateUpdate: ({ attributes: info }, event, old) =>
      validateEventUpdate(event, old, { group: info.apiGroup, version: info.apiVersion }),
    allowCreateOnUpdate: true,
    defaultPropagation: 'unsupported',
    repeatedMetadataChecks: 'none',
  },
  // Stricter name validation applies to events.k8s.io only: old event recorders create invalid names.
  validateName: isPathSegmentName,
  selectableFields: {
    'involvedObject.kind': (event) => event.involvedObject?.kind ?? '',
    'involvedObject.namespace': (event) => event.involvedObject?.namespace ?? '',
    'involvedObject.name': (event) => event.involvedObject?.name ?? '',
    'involvedObject.uid': (event) => event.involvedObject?.uid ?? '',
    'involvedObject.apiVersion': (event) => event.involvedObject?.apiVersion ?? '',
    'involvedObject.resourceVersion': (event) => event.involvedObject?.resourceVersion ?? '',
    'involvedObject.fieldPath': (event) => event.involvedObject?.fieldPath ?? '',
    reason: (event) => event.reason ?? '',
    reportingComponent: (event) => event.reportingComponent ?? '',
    source: (event) => event.source?.component || (event.reportingComponent ?? ''),
    type: (event) => event.type ?? '',
  },
  allColumns: eventColumns,
  quota: 'none',
  // Events have no watch cache. It would cost more than it saves, because events are numerous, short-lived and rarely read.
  storage: { ttlSeconds: 3600, watchCache: false },
})
