import type { Endpoints, EndpointSubset } from '@keelson/api/core/v1'
import { formatFieldError } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { findEndpointsWarnings, formatEndpoints } from './index.ts'
import { validateEndpoints } from './validate.ts'

const createEndpoints = (...subsets: EndpointSubset[]): Endpoints => ({ metadata: { name: 'e' }, subsets })
const createAddresses = (...ips: string[]): EndpointSubset['addresses'] & object => ips.map((ip) => ({ ip }))

describe('endpoints', () => {
  it('requires routable addresses, and a name for each port if there are several', () => {
    const ports = [
      { port: 80, protocol: 'TCP' },
      { name: 'b', port: 0, protocol: 'IP' },
    ]
    expect(validateEndpoints(createEndpoints({ ports }, { addresses: createAddresses('169.254.0.1') })).map(formatFieldError)).toEqual([
      'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`',
      'subsets[0].ports[0].name: Required value',
      'subsets[0].ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'subsets[0].ports[1].protocol: Unsupported value: "IP": supported values: "SCTP", "TCP", "UDP"',
      'subsets[1].addresses[0].ip: Invalid value: "169.254.0.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
    ])
  })

  it('accepts invalid subsets that the stored object already has', () => {
    const old = createEndpoints({ addresses: createAddresses('127.0.0.1') })
    expect(validateEndpoints(old)).toHaveLength(1)
    expect(validateEndpoints(structuredClone(old), old)).toEqual([])
  })

  it('warns about non-canonical addresses, except in objects of the endpoints controller', () => {
    const object = createEndpoints({ notReadyAddresses: createAddresses('FD00::1') })
    expect(findEndpointsWarnings(object)).toHaveLength(1)
    const labels = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' }
    expect(findEndpointsWarnings({ ...object, metadata: { ...object.metadata, labels } })).toEqual([])
  })

  it('prints the first three addresses as a column', () => {
    expect(formatEndpoints(createEndpoints())).toBe('<none>')
    const subset = { addresses: createAddresses('10.0.0.1', 'fd00::1'), ports: [{ port: 80 }, { name: 'b', port: 81 }] }
    expect(formatEndpoints(createEndpoints(subset, { addresses: createAddresses('10.0.0.2') }))).toBe(
      '10.0.0.1:80,[fd00::1]:80,10.0.0.1:81 + 2 more...',
    )
  })
})
