import type { Event } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { formatAge } from '@keelson/registry'
import type { Column } from '@keelson/registry'

type ReadonlyEvent = DeepReadonly<Event>

export const eventColumns: readonly Column<Event>[] = [
  { name: 'Last Seen', description: 'Time since the last occurrence.', value: formatLastSeen },
  { name: 'Type', description: 'Normal or Warning.', value: (event) => event.type ?? '' },
  { name: 'Reason', description: 'Reason in machine-readable form.', value: (event) => event.reason ?? '' },
  { name: 'Object', description: 'Object the event is about.', value: formatObject },
  {
    name: 'Subobject',
    priority: 1,
    description: 'Part of the object the event is about.',
    value: (event) => event.involvedObject?.fieldPath ?? '',
  },
  { name: 'Source', priority: 1, description: 'Component that reports the event.', value: formatSource },
  { name: 'Message', description: 'Human-readable description.', value: (event) => (event.message ?? '').trim() },
  { name: 'First Seen', priority: 1, description: 'Time since the first occurrence.', value: formatFirstSeen },
  { name: 'Count', priority: 1, description: 'Number of occurrences.', value: formatCount },
  { name: 'Name', priority: 1, format: 'name', description: 'Name of the event.', value: (event) => event.metadata.name ?? '' },
]

/** Returns the number of occurrences of an event. A series has its own count, which takes precedence. */
function formatCount({ series, count }: ReadonlyEvent): number {
  return series ? (series.count ?? 0) : count || 1
}

function formatFirstSeen(event: ReadonlyEvent, now: number): string {
  return formatAge((event.firstTimestamp || event.eventTime) ?? undefined, now)
}

function formatLastSeen(event: ReadonlyEvent, now: number): string {
  if (event.series) return formatAge(event.series.lastObservedTime ?? undefined, now)
  return event.lastTimestamp ? formatAge(event.lastTimestamp, now) : formatFirstSeen(event, now)
}

function formatObject(event: ReadonlyEvent): string {
  const kind = (event.involvedObject?.kind ?? '').toLowerCase()
  return event.involvedObject?.name ? `${kind}/${event.involvedObject.name}` : kind
}

function formatSource(event: ReadonlyEvent): string {
  const component = event.source?.component || (event.reportingComponent ?? '')
  const instance = event.source?.host || (event.reportingInstance ?? '')
  return instance === '' ? component : `${component}, ${instance}`
}
