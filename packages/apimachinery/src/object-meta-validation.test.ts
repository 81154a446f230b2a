import { describe, expect, it } from 'vitest'
import { newInvalid } from './api-errors.ts'
import { validateConditions } from './conditions-validation.ts'
import type { FieldErrorList } from './field-error.ts'
import { formatFieldError, newFieldPath } from './field-error.ts'
import { generateName, newUid } from './identifiers.ts'
import type { ObjectMeta } from './meta.ts'
import { equalsSemantically, validateLabelSelector, validateObjectMeta, validateObjectMetaUpdate } from './object-meta-validation.ts'
import { validateDeleteOptions, validateFieldManager, validateListOptions, validatePatchOptions } from './options-validation.ts'

const formatErrors = (errors: FieldErrorList): string[] => errors.map(formatFieldError)
const create = (meta: ObjectMeta, namespaced = true): string[] => formatErrors(validateObjectMeta(meta, { namespaced }))

describe('validateObjectMeta', () => {
  it('accepts valid metadata', () => {
    expect(create({ name: 'a.b-c', namespace: 'x', labels: { 'example.com/a': '' }, annotations: { 'Example.com/A': 'any \n' } })).toEqual(
      [],
    )
    expect(create({ generateName: 'web-', name: 'web-x2x2x', namespace: 'x', finalizers: ['example.com/f'] })).toEqual([])
  })

  it('reports invalid fields', () => {
    expect(create({ namespace: 'x' })).toEqual(['metadata.name: Required value: name or generateName is required'])
    expect(create({ name: 'a' })).toEqual(['metadata.namespace: Required value'])
    expect(create({ name: 'a', namespace: 'x' }, false)).toEqual(['metadata.namespace: Forbidden: not allowed on this type'])
    expect(create({ name: 'a', namespace: 'x', generation: -1 })).toEqual([
      'metadata.generation: Invalid value: -1: must be greater than or equal to 0',
    ])
    expect(create({ name: 'a', namespace: 'x', annotations: { a: 'x'.repeat(262144) } })).toEqual([
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    ])
    expect(create({ name: 'a', namespace: 'x.y' })[0]).toBe('metadata.namespace: Invalid value: "x.y": must not contain dots')
    expect(create({ name: 'a', namespace: 'x', finalizers: ['orphan', 'foregroundDeletion'] })).toEqual([
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ])
  })

  it('checks owner references', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true }
    expect(create({ name: 'a', namespace: 'x', ownerReferences: [owner, { ...owner, name: 'q' }] })[0]).toMatch(
      /Only one reference can have Controller set to true\. Found "true" in references for Pod\/p and Pod\/q$/,
    )
    expect(create({ name: 'a', namespace: 'x', ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] })).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
      'metadata.ownerReferences.name: Invalid value: "": must not be empty',
      'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
    ])
    expect(create({ name: 'a', namespace: 'x', ownerReferences: [{ ...owner, kind: 'Event' }] })[0]).toBe(
      'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"p","uid":"u","controller":true}: /v1, Kind=Event is disallowed from being an owner',
    )
  })

  it('allows only changes of mutable metadata', () => {
    const old: ObjectMeta = {
      name: 'a',
      namespace: 'x',
      uid: 'u',
      resourceVersion: '5',
      generation: 2,
      deletionTimestamp: '2026-01-01T00:00:00Z',
    }
    const update = (change: ObjectMeta): string[] => formatErrors(validateObjectMetaUpdate({ ...old, ...change }, old))
    expect(update({ labels: { a: 'b' } })).toEqual([])
    expect(update({ uid: 'v' })).toEqual(['metadata.uid: Invalid value: "v": field is immutable'])
    expect(update({ resourceVersion: '' })).toEqual(['metadata.resourceVersion: Invalid value: "": must be specified for an update'])
    expect(update({ generation: 1 })).toEqual(['metadata.generation: Invalid value: 1: must not be decremented'])
    expect(update({ finalizers: ['b/b', 'a/a'] })).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/a", "b/b"}',
    ])
    const { deletionTimestamp: _, ...undeleted } = old
    expect(formatErrors(validateObjectMetaUpdate(undeleted, old))).toEqual([
      'metadata.deletionTimestamp: Invalid value: null: field is immutable',
    ])
  })
})

describe('semanticEqual', () => {
  it('treats an absent list like an empty one', () => {
    expect(equalsSemantically({ a: [] }, {})).toBe(true)
    expect(equalsSemantically({ a: { b: 1 } }, { a: { b: 1, c: [] } })).toBe(true)
    expect(equalsSemantically({ a: {} }, {})).toBe(false)
    expect(equalsSemantically({ a: '' }, {})).toBe(false)
    expect(equalsSemantically([{}], [{}, {}])).toBe(false)
    expect(equalsSemantically([1, 2], [2, 1])).toBe(false)
  })
})

describe('request options', () => {
  it('validates the options of a delete', () => {
    expect(validateDeleteOptions({ propagationPolicy: 'Orphan', dryRun: ['All'] })).toEqual([])
    expect(formatErrors(validateDeleteOptions({ propagationPolicy: 'Never' }))).toEqual([
      'propagationPolicy: Unsupported value: "Never": supported values: "Foreground", "Background", "Orphan", "nil"',
    ])
    expect(formatErrors(validateDeleteOptions({ propagationPolicy: 'Orphan', orphanDependents: false }))).toEqual([
      'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ])
  })

  it('validates the options of lists and watches', () => {
    expect(validateListOptions({ resourceVersion: '5', resourceVersionMatch: 'Exact' })).toEqual([])
    expect(formatErrors(validateListOptions({ resourceVersion: '1', resourceVersionMatch: 'Sometimes' }))).toEqual([
      'resourceVersionMatch: Unsupported value: "Sometimes": supported values: "Exact", "NotOlderThan", ""',
    ])
    expect(formatErrors(validateListOptions({ watch: true, resourceVersionMatch: 'NotOlderThan' }))).toEqual([
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ])
    expect(formatErrors(validateListOptions({ sendInitialEvents: true }))).toEqual([
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ])
  })

  it('validates the options of a patch', () => {
    expect(formatErrors(validatePatchOptions({}, true))).toEqual(['fieldManager: Required value: is required for apply patch'])
    expect(formatErrors(validatePatchOptions({ force: true }, false))).toEqual([
      'force: Forbidden: may not be specified for non-apply patch',
    ])
  })

  it('validates the name of a field manager', () => {
    expect(formatErrors(validateFieldManager('é\u0007', newFieldPath('m')))).toEqual([
      'm: Invalid value: "é\\a": invalid character U+0007 (at position 2)',
    ])
  })
})

describe('selectors and conditions in objects', () => {
  it('validates selectors and conditions member by member', () => {
    const selector = {
      matchExpressions: [
        { key: 'a', operator: 'In' },
        { key: 'b', operator: 'Exists', values: ['x'] },
        { key: 'c', operator: '?' },
      ],
    }
    expect(formatErrors(validateLabelSelector(selector, newFieldPath('s')))).toEqual([
      "s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "s.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      's.matchExpressions[2].operator: Invalid value: "?": not a valid selector operator',
    ])
    const condition = { type: 'Ready', status: 'Yes', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'Because', message: '' }
    expect(formatErrors(validateConditions([condition, { ...condition, status: 'True' }], newFieldPath('c')))).toEqual([
      'c[0].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
      'c[1].type: Duplicate value: "Ready"',
    ])
  })
})

describe('identifiers', () => {
  it('generates short names from the allowed characters', () => {
    expect(generateName('web-')).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(generateName('x'.repeat(100), () => 0)).toBe(`${'x'.repeat(58)}bbbbb`)
    expect(newUid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })
})

it('reports more errors than a function call can have arguments', () => {
  const labels = Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`k//${i}`, '']))
  const errors = validateObjectMeta({ name: 'a', labels }, { namespaced: false })
  expect(errors).toHaveLength(150_000)
  const { status } = newInvalid({ group: '', kind: 'X' }, 'a', errors)
  expect(status).toMatchObject({ code: 422, reason: 'Invalid' })
  expect(status.details!.causes!.length).toBeGreaterThan(1_000)
})

it('does not repeat a large value in every error', () => {
  const ownerReferences = Array.from({ length: 10_000 }, (_, i) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    name: `p${i}`,
    uid: `${i}`,
    controller: true,
  }))
  const errors = validateObjectMeta({ name: 'a', ownerReferences }, { namespaced: false })
  expect(errors).toHaveLength(9_999)
  const { status } = newInvalid({ group: '', kind: 'X' }, 'a', errors)
  expect(JSON.stringify(status).length).toBeLessThan(20_000_000)
})
