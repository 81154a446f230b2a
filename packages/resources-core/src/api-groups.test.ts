import { Scheme } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { core } from './api-groups.ts'

const scheme = new Scheme()
core.register(scheme)

describe('field selectors', () => {
  it.each(core.resources.map((definition) => [definition.plural, definition] as const))(
    'selects %s by each selectable field',
    (_, definition) => {
      const { group, version, kind, scope, selectableFields = {} } = definition
      const labels = ['metadata.name', ...(scope === 'Namespaced' ? ['metadata.namespace'] : []), ...Object.keys(selectableFields)]
      expect(labels.map((label) => scheme.convertFieldLabel({ group, version, kind }, label))).toEqual(labels)
      expect(() => scheme.convertFieldLabel({ group, version, kind }, 'spec.bogus')).toThrow('spec.bogus')
    },
  )

  it('accepts the legacy label for the node of a pod', () => {
    const gvk = { group: '', version: 'v1', kind: 'Pod' }
    expect(scheme.convertFieldLabel(gvk, 'spec.host')).toBe('spec.nodeName')
    expect(scheme.convertFieldLabel(gvk, 'status.podIPs')).toBe('status.podIPs')
    for (const label of ['spec.hostname', 'toString', '__proto__'])
      expect(() => scheme.convertFieldLabel(gvk, label)).toThrow(`field label not supported: ${label}`)
  })

  it('uses the field names of the requested API version for events', () => {
    const gvk = { group: 'events.k8s.io', version: 'v1', kind: 'Event' }
    expect(scheme.convertFieldLabel(gvk, 'regarding.name')).toBe('involvedObject.name')
    expect(() => scheme.convertFieldLabel(gvk, 'involvedObject.name')).toThrow('field label not supported: involvedObject.name')
  })

  it('rejects metadata.namespace for namespaces', () => {
    const gvk = { group: '', version: 'v1', kind: 'Namespace' }
    expect(() => scheme.convertFieldLabel(gvk, 'metadata.namespace')).toThrow('field label not supported: metadata.namespace')
    expect(() => scheme.convertFieldLabel(gvk, 'name')).toThrow('field label not supported: name')
  })
})
