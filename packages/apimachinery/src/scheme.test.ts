import { describe, expect, it } from 'vitest'
import type { KubeObject } from './meta.ts'
import { Scheme } from './scheme.ts'
import type { FieldLabelMessage } from './scheme.ts'

const hub = { group: '', version: 'v1', kind: 'Thing' }
const other = { group: 'things.example.com', version: 'v2', kind: 'Thing' }

function things(): Scheme {
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
    expect(things().hubOf(other)).toEqual(hub)
    expect(things().hubOf({ ...hub, kind: 'Nothing' })).toBeUndefined()
  })

  it('rejects a kind that is registered twice', () => {
    const scheme = things()
    expect(() => scheme.register({ gvk: hub, hub })).toThrow('kind registered twice: /v1/Thing')
  })

  it('removes a kind, which can then be registered again', () => {
    const scheme = new Scheme()
    const remove = scheme.register({ gvk: hub, hub })
    remove()
    expect(scheme.registration(hub)).toBeUndefined()
    const again = scheme.register({ gvk: hub, hub })
    remove()
    expect(scheme.hubOf(hub)).toEqual(hub)
    again()
    expect([...scheme.kinds()]).toEqual([])
  })

  it('sets defaults and converts; leaves unregistered kinds unchanged', () => {
    const object: KubeObject = { metadata: { name: 'a' } }
    things().setDefaults(hub, object)
    expect(object.metadata.labels).toEqual({ defaulted: 'yes' })
    expect(things().toHub(other, object).metadata.namespace).toBe('x')
    expect(things().fromHub(other, object)).toBe(object)
    expect(things().toHub(hub, object)).toBe(object)
  })

  it('converts the labels of field selectors', () => {
    expect(things().convertFieldLabel(hub, 'metadata.name')).toBe('metadata.name')
    expect(things().convertFieldLabel(other, 'old')).toBe('new')
    expect(() => things().convertFieldLabel(hub, 'data.v')).toThrow(
      '"data.v" is not a known field selector: only "metadata.name", "metadata.namespace"',
    )
    expect(() => things().convertFieldLabel(other, 'data.v')).toThrow('field label not supported: data.v')
    const scheme = new Scheme()
    const refuseFieldLabel: FieldLabelMessage = (label, { kind }) => `no ${label} of ${kind}`
    scheme.register({ gvk: hub, hub, convertFieldLabel: () => undefined, refuseFieldLabel })
    expect(() => scheme.convertFieldLabel(hub, 'data.v')).toThrow('no data.v of Thing')
  })
})
