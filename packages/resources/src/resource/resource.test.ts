import { resourceV1 } from '@keelson/api/resource/v1'
import type { ResourceClaimTemplate, ResourceSlice } from '@keelson/api/resource/v1'
import { decodeStruct, formatFieldError } from '@keelson/apimachinery'
import type { JsonObject, RequestContext } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { resourceClaimTemplates } from './resourceclaimtemplates/index.ts'
import { validateResourceSlice } from './resourceslices/validate.ts'

function decodeResource<T>(kind: string, sent: JsonObject): T {
  return decodeStruct<T>(resourceV1.kinds.find(({ gvk }) => gvk.kind === kind)!.schema, sent).object
}

it('counts empty lists of devices and counters as set', () => {
  const spec = { driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, nodeName: 'n' }
  const validateToMessages = (more: JsonObject): string[] =>
    validateResourceSlice(decodeResource<ResourceSlice>('ResourceSlice', { metadata: { name: 's' }, spec: { ...spec, ...more } })).map(
      formatFieldError,
    )
  expect(validateToMessages({ devices: [] })).toEqual([])
  expect(validateToMessages({ devices: [], sharedCounters: [] })).toEqual([
    'spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed',
  ])
  const [error] = validateToMessages({ nodeSelector: { nodeSelectorTerms: [] } }).slice(-2)
  expect(error).toBe('spec.nodeSelector.nodeSelectorTerms: Invalid value: []: must have exactly one node selector term')
})

it("rejects an attribute with several values, and prints it in kube-apiserver's internal form", () => {
  const slice = decodeResource<ResourceSlice>('ResourceSlice', {
    metadata: { name: 's' },
    spec: { driver: 'd', pool: { name: 'p' }, devices: [{ name: 'a', attributes: { x: { int: 1, bool: true } } }] },
  })
  expect(validateResourceSlice(slice).map(formatFieldError)).toContain(
    'spec.devices[0].attributes[x]: Invalid value: {"IntValue":1,"BoolValue":true,"StringValue":null,"VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
  )
})

it('rejects even an empty list of finalizers in a template', () => {
  const template = decodeResource<ResourceClaimTemplate>('ResourceClaimTemplate', {
    metadata: { name: 't' },
    spec: { metadata: { finalizers: [], labels: {} }, spec: {} },
  })
  const errors = resourceClaimTemplates.strategy.validateCreate?.({} as RequestContext, template) ?? []
  expect(errors.map(formatFieldError)).toEqual(['spec.metadata.finalizers: Forbidden: cannot be set'])
})
