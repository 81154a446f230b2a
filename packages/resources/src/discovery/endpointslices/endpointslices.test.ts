import type { EndpointSlice } from '@keelson/api/discovery/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { formatFieldError } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { endpointSlices } from './index.ts'

const context = {} as RequestContext
const { strategy } = endpointSlices
const slice = (overrides: Partial<EndpointSlice> = {}): EndpointSlice => ({
  metadata: { name: 'a' },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
  ports: [],
  ...overrides,
})

describe('endpoint slices', () => {
  it('increases the generation if labels or members outside metadata change', () => {
    const computeGenerationAfter = (after: EndpointSlice): number | undefined => {
      const old = slice({ metadata: { name: 'a', generation: 3 } })
      after.metadata.generation = 3
      strategy.prepareForUpdate?.(context, after, old)
      return after.metadata.generation
    }
    expect(computeGenerationAfter(slice())).toBe(3)
    expect(computeGenerationAfter(slice({ metadata: { name: 'a', annotations: { a: 'b' } } }))).toBe(3)
    expect(computeGenerationAfter(slice({ metadata: { name: 'a', labels: { a: 'b' } } }))).toBe(4)
    expect(computeGenerationAfter(slice({ ports: [{ port: 1 }] }))).toBe(4)
  })

  it('drops the deprecated topology, and keeps its node name', () => {
    const endpoint = { addresses: ['10.0.0.1'], deprecatedTopology: { 'kubernetes.io/hostname': 'node-1' } }
    const created = slice({ endpoints: [structuredClone(endpoint)] })
    strategy.prepareForCreate?.(context, created)
    expect(created.endpoints).toEqual([{ addresses: ['10.0.0.1'] }])
    const updated = slice({ endpoints: [structuredClone(endpoint), { addresses: ['10.0.0.2'] }] })
    strategy.prepareForUpdate?.(context, updated, slice({ endpoints: [endpoint] }))
    expect(updated.endpoints?.[0]).toEqual({ addresses: ['10.0.0.1'], nodeName: 'node-1' })
  })

  it.each([
    ['IPv4', '::1', 'endpoints[0].addresses: Invalid value: "::1": must be an IPv4 address'],
    ['IPv6', 'FD00::1', 'endpoints[0].addresses[0]: Invalid value: "FD00::1": must be in canonical form ("fd00::1")'],
    ['FQDN', 'a', 'endpoints[0].addresses[0]: Invalid value: "a": should be a domain with at least two segments separated by dots'],
  ])('rejects the address of type %s: %s', (addressType, address, message) => {
    const errors = strategy.validateCreate?.(context, slice({ addressType, endpoints: [{ addresses: [address] }] })) ?? []
    expect(errors.map(formatFieldError)).toContain(message)
  })

  it('accepts stored invalid endpoints if they are unchanged', () => {
    const old = slice({ endpoints: [{ addresses: ['127.0.0.1'] }] })
    expect(strategy.validateUpdate?.(context, { ...old, ports: [{ name: '', protocol: 'TCP' }] }, old)).toEqual([])
  })

  it('warns about addresses that are not canonical', () => {
    const written = slice({ addressType: 'IPv6', endpoints: [{ addresses: ['FD00::1'] }] })
    expect(strategy.warningsOnUpdate?.(context, written, written)).toEqual([
      'endpoints[0].addresses[0]: IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")',
    ])
  })

  it('prints at most three addresses and ports as columns', () => {
    const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5']
    const cells = createTableConvertor(endpointSlices).createCells(
      slice({ endpoints: [{ addresses }], ports: [{ port: 80 }, { name: 'x' }] }),
      0,
    )
    expect(cells).toEqual(['a', 'IPv4', '80,x', '10.0.0.1,10.0.0.2,10.0.0.3 + 2 more...', '<unknown>'])
  })
})
