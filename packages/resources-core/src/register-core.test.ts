import { Scheme } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { registerCore } from './register-core.ts'
import { coreResources } from './resources.ts'

const scheme = new Scheme()
registerCore(scheme)

describe('field selectors', () => {
  it.each(coreResources.map((definition) => [definition.plural, definition] as const))(
    'select %s by each selectable field',
    (_, definition) => {
      const { group, version, kind, scope, selectableFields = {} } = definition
      const labels = ['metadata.name', ...(scope === 'Namespaced' ? ['metadata.namespace'] : []), ...Object.keys(selectableFields)]
      expect(labels.map((label) => scheme.convertFieldLabel({ group, version, kind }, label))).toEqual(labels)
      expect(() => scheme.convertFieldLabel({ group, version, kind }, 'spec.bogus')).toThrow('spec.bogus')
    },
  )

  it('reject metadata.namespace for namespaces', () => {
    const gvk = { group: '', version: 'v1', kind: 'Namespace' }
    expect(() => scheme.convertFieldLabel(gvk, 'metadata.namespace')).toThrow('field label not supported: metadata.namespace')
    expect(() => scheme.convertFieldLabel(gvk, 'name')).toThrow('field label not supported: name')
  })
})
