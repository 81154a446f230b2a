import type { Event } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { age } from '@keelson/registry'
import type { Column } from '@keelson/registry'

type ReadonlyEvent = DeepReadonly<Event>

export const eventColumns: readonly Column<Event>[] = [
  { name: 'Last Seen', description: 'When it happened last.', value: lastSeen },
  { name: 'Type', description: 'Normal or Warning.', value: (event) => event.type ?? '' },
  { name: 'Reason', description: 'The cause in one word.', value: (event) => event.reason ?? '' },
  { name: 'Object', description: 'What it happened to.', value: target },
  { name: 'Subobject', priority: 1, description: 'The part it happened to.', value: (event) => event.involvedObject?.fieldPath ?? '' },
  { name: 'Source', priority: 1, description: 'Who reports it.', value: source },
  { name: 'Message', description: 'What happened, for people.', value: (event) => (event.message ?? '').trim() },
  { name: 'First Seen', priority: 1, description: 'When it happened first.', value: firstSeen },
  { name: 'Count', priority: 1, description: 'How often it happened.', value: count },
  { name: 'Name', priority: 1, format: 'name', description: 'The name of the event.', value: (event) => event.metadata.name ?? '' },
]

/** A series without a count has had none. */
function count({ series, count }: ReadonlyEvent): number {
  return series ? (series.count ?? 0) : count || 1
}

function firstSeen(event: ReadonlyEvent, now: number): string {
  return age((event.firstTimestamp || event.eventTime) ?? undefined, now)
}

function lastSeen(event: ReadonlyEvent, now: number): string {
  if (event.series) return age(event.series.lastObservedTime ?? undefined, now)
  return event.lastTimestamp ? age(event.lastTimestamp, now) : firstSeen(event, now)
}

function target(event: ReadonlyEvent): string {
  const kind = (event.involvedObject?.kind ?? '').toLowerCase()
  return event.involvedObject?.name ? `${kind}/${event.involvedObject.name}` : kind
}

function source(event: ReadonlyEvent): string {
  const component = event.source?.component || (event.reportingComponent ?? '')
  const instance = event.source?.host || (event.reportingInstance ?? '')
  return instance === '' ? component : `${component}, ${instance}`
}
