import type { GroupVersionTypes, KindType } from '@keelson/api'
import { coreV1 } from '@keelson/api/core/v1'
import type { Event } from '@keelson/api/core/v1'
import { eventsV1 } from '@keelson/api/events/v1'
import { decodeStruct, formatFieldError } from '@keelson/apimachinery'
import type { GroupVersion, KubeObject } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { convertEventFromHub, convertEventToHub } from './convert.ts'
import { events } from './index.ts'
import { validateEvent, validateEventUpdate } from './validate.ts'

const core: GroupVersion = { group: '', version: 'v1' }
const modern: GroupVersion = { group: 'events.k8s.io', version: 'v1' }

const recorded: Event = {
  metadata: { name: 'e', namespace: 'x' },
  involvedObject: { kind: 'Pod', namespace: 'x', name: 'p' },
  reason: 'Started',
  message: ' did it\n',
  type: 'Normal',
  source: { component: 'kubelet', host: 'n1' },
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:01:00Z',
  count: 2,
  reportingComponent: '',
  reportingInstance: '',
}
const emitted: Event = {
  metadata: { name: 'e', namespace: 'x' },
  involvedObject: { kind: 'Pod', namespace: 'x', name: 'p' },
  reason: 'Started',
  action: 'Start',
  type: 'Normal',
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingComponent: 'example.com/kubelet',
  reportingInstance: 'n1',
}
const findEventKind = (types: GroupVersionTypes): KindType => types.kinds.find(({ gvk }) => gvk.kind === 'Event')!
const check = (event: Event, version: GroupVersion): string[] => validateEvent(event, version).map(formatFieldError)

describe('events', () => {
  it('accepts valid events of core/v1 and events.k8s.io/v1', () => {
    expect(check(recorded, core)).toEqual([])
    expect(check(emitted, core)).toEqual([])
    expect(check(emitted, modern)).toEqual([])
    const ofNode = { ...emitted, involvedObject: { kind: 'Node', name: 'n' }, metadata: { name: 'e', namespace: 'default' } }
    expect(check(ofNode, modern)).toEqual([])
  })

  it('requires the namespace of the involved object', () => {
    const mismatch = 'involvedObject.namespace: Invalid value: "y": does not match event.namespace'
    expect(check({ ...recorded, involvedObject: { namespace: 'y' } }, core)).toEqual([mismatch])
    expect(check({ ...recorded, involvedObject: {} }, core)).toHaveLength(1)
    expect(check({ ...emitted, involvedObject: { namespace: 'y' } }, core)).toEqual([])
  })

  it('requires controller, instance, action and reason in an event with an event time', () => {
    const { reportingComponent: _c, ...anonymous } = { ...emitted, reportingInstance: '', action: 'x'.repeat(129), reason: '' }
    const messages = check({ ...anonymous, reportingComponent: '' }, core)
    expect(messages[0]).toBe('reportingComponent: Required value')
    expect(messages.slice(3)).toEqual([
      'reportingInstance: Required value',
      'action: Invalid value: "": can have at most 128 characters',
      'reason: Required value',
    ])
    expect(check({ ...anonymous, reportingComponent: '' }, modern)[0]).toBe('reportingController: Required value')
  })

  it('applies stricter rules in events.k8s.io/v1', () => {
    expect(check({ ...recorded, type: 'Odd', series: { count: 1 } }, modern)).toEqual([
      'series.count: Invalid value: "": should be at least 2',
      'series.lastObservedTime: Required value',
      'eventTime: Required value',
      'type: Invalid value: "": has invalid value: Odd',
      'firstTimestamp: Invalid value: "": needs to be unset',
      'lastTimestamp: Invalid value: "": needs to be unset',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
    ])
    expect(check({ ...emitted, metadata: { name: 'E', namespace: 'x' } }, core)).toEqual([])
    expect(check({ ...emitted, metadata: { name: 'E', namespace: 'x' } }, modern)[0]).toMatch(/^metadata\.name: Invalid value: "E"/)
  })

  it('allows only changes of the series in events.k8s.io/v1', () => {
    const old: Event = { ...emitted, metadata: { ...emitted.metadata, resourceVersion: '1' } }
    const update = (change: Partial<Event>, version = modern): string[] =>
      validateEventUpdate({ ...old, ...change }, old, version).map(formatFieldError)
    expect(update({ series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' } })).toEqual([])
    expect(update({ involvedObject: { kind: 'Pod', namespace: 'x', name: 'q' }, action: 'Stop' })).toEqual([
      'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"x","Name":"q","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
      'action: Invalid value: "Stop": field is immutable',
    ])
    expect(update({ action: 'Stop' }, core)).toEqual([])
  })

  it('converts events between core/v1 and events.k8s.io/v1 without loss', () => {
    const other = convertEventFromHub(recorded)
    expect(other).toEqual({
      metadata: { name: 'e', namespace: 'x' },
      eventTime: null,
      reason: 'Started',
      regarding: { kind: 'Pod', namespace: 'x', name: 'p' },
      note: ' did it\n',
      type: 'Normal',
      deprecatedSource: { component: 'kubelet', host: 'n1' },
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      deprecatedLastTimestamp: '2026-01-01T00:01:00Z',
      deprecatedCount: 2,
    })
    for (const event of [recorded, emitted]) {
      // Decoding adds the fields that JSON always has.
      const canonical = decodeStruct<KubeObject>(findEventKind(coreV1).schema, event as never).object
      const converted = convertEventFromHub(canonical)
      expect(JSON.stringify(converted)).toBe(JSON.stringify(decodeStruct(findEventKind(eventsV1).schema, converted as never).object))
      expect(JSON.stringify(convertEventToHub(converted))).toBe(JSON.stringify(canonical))
    }
  })

  it('prints times and count as columns', () => {
    const table = createTableConvertor(events)
    const now = Date.parse('2026-01-01T00:02:00Z')
    expect(table.columns.map(({ name }) => name)).toEqual([
      'Last Seen',
      'Type',
      'Reason',
      'Object',
      'Subobject',
      'Source',
      'Message',
      'First Seen',
      'Count',
      'Name',
    ])
    expect(table.createCells(recorded, now)).toEqual(['60s', 'Normal', 'Started', 'pod/p', '', 'kubelet, n1', 'did it', '2m', 2, 'e'])
    expect(table.createCells(emitted, now)).toEqual(['2m', 'Normal', 'Started', 'pod/p', '', 'example.com/kubelet, n1', '', '2m', 1, 'e'])
    expect(table.createCells({ ...emitted, count: 3, series: { lastObservedTime: null } } as Event, now)[8]).toBe(0)
    expect(events.selectableFields?.['source']?.(emitted)).toBe('example.com/kubelet')
    expect(events.storage?.ttlSeconds).toBe(3600)
  })
})
