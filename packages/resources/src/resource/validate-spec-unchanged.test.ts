import { formatFieldError } from '@keelson/apimachinery'
import { expect, it } from 'vitest'
import { validateSpecUnchanged } from './validate-spec-unchanged.ts'

it('prints an immutable claim spec with all fields and their Go names', () => {
  const request = {
    name: 'r',
    exactly: { deviceClassName: 'c', allocationMode: 'ExactCount', count: 1, selectors: [{ cel: { expression: 'x' } }] },
  }
  const config = [{ opaque: { driver: 'd', parameters: { a: 1 } } }]
  const errors = validateSpecUnchanged('ResourceClaimSpec', { devices: { requests: [request], config } }, { devices: {} })
  const exactly =
    '{"DeviceClassName":"c","Selectors":[{"CEL":{"Expression":"x"}}],"AllocationMode":"ExactCount","Count":1,"AdminAccess":null,"Tolerations":null,"Capacity":null}'
  expect(errors.map(formatFieldError)).toEqual([
    `spec: Invalid value: {"Devices":{"Requests":[{"Name":"r","Exactly":${exactly},"FirstAvailable":null}],"Constraints":null,"Config":[{"Requests":null,"Opaque":{"Driver":"d","Parameters":{"a":1}}}]}}: field is immutable`,
  ])
})

it('prints an immutable template with its metadata', () => {
  const spec = { metadata: { labels: { a: 'b' } }, spec: { devices: {} } }
  expect(validateSpecUnchanged('ResourceClaimTemplateSpec', spec, spec)).toEqual([])
  expect(validateSpecUnchanged('ResourceClaimTemplateSpec', spec, { spec: spec.spec }).map(formatFieldError)).toEqual([
    'spec: Invalid value: {"labels":{"a":"b"},"Spec":{"Devices":{"Requests":null,"Constraints":null,"Config":null}}}: field is immutable',
  ])
})
