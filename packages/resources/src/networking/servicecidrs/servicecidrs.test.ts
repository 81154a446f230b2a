import type { ServiceCIDR } from '@keelson/api/networking/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { formatFieldError } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { serviceCIDRs } from './index.ts'

const context = {} as RequestContext
const createServiceCIDR = (...cidrs: string[]): ServiceCIDR => ({ metadata: { name: 'a' }, spec: { cidrs } })
const update = (after: ServiceCIDR, before: ServiceCIDR): string[] =>
  (serviceCIDRs.strategy.validateUpdate?.(context, after, before) ?? []).map(formatFieldError)

describe('service CIDRs', () => {
  it('rejects changes of the ranges except the addition of a second IP family', () => {
    expect(update(createServiceCIDR('10.0.0.0/24', 'fd00::/112'), createServiceCIDR('10.0.0.0/24'))).toEqual([])
    expect(update(createServiceCIDR('10.0.0.0/24', '10.1.0.0/24'), createServiceCIDR('10.0.0.0/24'))).toEqual([
      'spec.cidrs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    ])
    expect(update(createServiceCIDR('10.1.0.0/24'), createServiceCIDR('10.0.0.0/24'))).toEqual([
      'spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable',
    ])
    expect(update(createServiceCIDR('10.0.0.0/24'), createServiceCIDR('10.0.0.0/24', 'fd00::/112'))).toEqual([
      'spec.cidrs: Invalid value: ["10.0.0.0/24"]: field is immutable',
    ])
  })

  it('changes the status only by the subresource, which changes nothing else', () => {
    const old: ServiceCIDR = { ...createServiceCIDR('10.0.0.0/24'), status: { conditions: [] } }
    const changed: ServiceCIDR = { ...createServiceCIDR('10.0.0.0/24'), status: {} }
    serviceCIDRs.strategy.prepareForUpdate?.(context, changed, old)
    expect(changed.status).toEqual({ conditions: [] })
    const status: ServiceCIDR = { ...createServiceCIDR('10.9.0.0/24'), metadata: { name: 'a', labels: { a: 'b' } }, status: {} }
    serviceCIDRs.subresources?.['status']?.update.prepareForUpdate?.(context, status, old)
    expect(status).toEqual({ ...createServiceCIDR('10.0.0.0/24'), status: {} })
  })
})
