import { describe, expect, it } from 'vitest'
import type { KubeObject } from './meta.ts'
import { Scheme } from './scheme.ts'
import type { FieldLabelMessage } from './scheme.ts'

const hub = { group: '', version: 'v1', kind: 'Thing' }
const other = { group: 'things.example.com', version: 'v2', kind: 'Thing' }

function createScheme(): Scheme {
  const scheme = new Scheme()
  scheme.register({ gvk: hub, hub, setDefaults: (object) => void (object.metadata.labels ??= { defaulted: 'yes' }) })
  scheme.register({
    gvk: other,
    hub,
    toHub: (object) => ({ ...object, metadata: { ...object.metadata, namespace: 'x' } }),
    convertFieldLabel: (label) => (label === 'old' ? 'new' : undefined),
  })
  return scheme
}

describe('Scheme', () => {
  it('returns the hub of a registered kind', () => {
    expect(createScheme().findHub(other)).toEqual(hub)
    expect(createScheme().findHub({ ...hub, kind: 'Nothing' })).toBeUndefined()
  })

  it('rejects a kind that is registered twice', () => {
    const scheme = createScheme()
    expect(() => scheme.register({ gvk: hub, hub })).toThrow('kind registered twice: /v1/Thing')
  })

  it('removes a kind, which can then be registered again', () => {
    const scheme = new Scheme()
    const remove = scheme.register({ gvk: hub, hub })
    remove()
    expect(scheme.registration(hub)).toBeUndefined()
    const again = scheme.register({ gvk: hub, hub })
    remove()
    expect(scheme.findHub(hub)).toEqual(hub)
    again()
    expect([...scheme.kinds()]).toEqual([])
  })

  it('sets defaults and converts; leaves unregistered kinds unchanged', () => {
    const object: KubeObject = { metadata: { name: 'a' } }
    createScheme().setDefaults(hub, object)
    expect(object.metadata.labels).toEqual({ defaulted: 'yes' })
    expect(createScheme().toHub(other, object).metadata.namespace).toBe('x')
    expect(createScheme().fromHub(other, object)).toBe(object)
    expect(createScheme().toHub(hub, object)).toBe(object)
  })

  it('converts the labels of field selectors', () => {
    expect(createScheme().convertFieldLabel(hub, 'metadata.name')).toBe('metadata.name')
    expect(createScheme().convertFieldLabel(other, 'old')).toBe('new')
    expect(() => createScheme().convertFieldLabel(hub, 'data.v')).toThrow(
      '"data.v" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
    expect(() => createScheme().convertFieldLabel(other, 'data.v')).toThrow('field label not supported: data.v')
    const scheme = new Scheme()
    const refuseFieldLabel: FieldLabelMessage = (label, { kind }) => `no ${label} of ${kind}`
    scheme.register({ gvk: hub, hub, convertFieldLabel: () => undefined, refuseFieldLabel })
    expect(() => scheme.convertFieldLabel(hub, 'data.v')).toThrow('no data.v of Thing')
  })
})
