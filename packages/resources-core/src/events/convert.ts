import type { Event as CoreEvent } from '@keelson/api/core/v1'
import type { Event as NewEvent } from '@keelson/api/events/v1'
import type { KubeObject } from '@keelson/apimachinery'

/**
 * Converts an event of events.k8s.io to core/v1. Writes the fields in the order of the core/v1 type. Omits empty fields, except those
 * without `omitempty`.
 */
export function convertEventToHub(object: KubeObject): KubeObject {
  const event = object as NewEvent
  const { series } = event
  return withoutUndefined<CoreEvent>({
    metadata: event.metadata,
    involvedObject: event.regarding ?? {},
    reason: event.reason || undefined,
    message: event.note || undefined,
    source: event.deprecatedSource ?? {},
    firstTimestamp: event.deprecatedFirstTimestamp ?? null,
    lastTimestamp: event.deprecatedLastTimestamp ?? null,
    count: event.deprecatedCount || undefined,
    type: event.type || undefined,
    eventTime: event.eventTime ?? null,
    series: series && withoutUndefined({ count: series.count || undefined, lastObservedTime: series.lastObservedTime ?? null }),
    action: event.action || undefined,
    related: event.related,
    reportingComponent: event.reportingController ?? '',
    reportingInstance: event.reportingInstance ?? '',
  })
}

export function convertEventFromHub(object: KubeObject): KubeObject {
  const event = object as CoreEvent
  const { series } = event
  return withoutUndefined<NewEvent>({
    metadata: event.metadata,
    eventTime: event.eventTime ?? null,
    series: series && { count: series.count ?? 0, lastObservedTime: series.lastObservedTime ?? null },
    reportingController: event.reportingComponent || undefined,
    reportingInstance: event.reportingInstance || undefined,
    action: event.action || undefined,
    reason: event.reason || undefined,
    regarding: event.involvedObject ?? {},
    related: event.related,
    note: event.message || undefined,
    type: event.type || undefined,
    deprecatedSource: event.source ?? {},
    deprecatedFirstTimestamp: event.firstTimestamp ?? null,
    deprecatedLastTimestamp: event.lastTimestamp ?? null,
    deprecatedCount: event.count || undefined,
  })
}

type Sparse<T> = { [K in keyof T]: T[K] | undefined }

function withoutUndefined<T extends object>(members: Sparse<T>): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T
}

/** Maps the field labels of events.k8s.io to those of core/v1. */
export const eventFieldLabels: Readonly<Record<string, string>> = {
  'metadata.name': 'metadata.name',
  'metadata.namespace': 'metadata.namespace',
  reason: 'reason',
  type: 'type',
  reportingController: 'reportingComponent',
  'regarding.kind': 'involvedObject.kind',
  'regarding.namespace': 'involvedObject.namespace',
  'regarding.name': 'involvedObject.name',
  'regarding.uid': 'involvedObject.uid',
  'regarding.apiVersion': 'involvedObject.apiVersion',
  'regarding.resourceVersion': 'involvedObject.resourceVersion',
  'regarding.fieldPath': 'involvedObject.fieldPath',
}
