import type { LimitRange, LimitRangeItem } from '@keelson/api/core/v1'
import { formatFieldError } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { setLimitRangeDefaults } from './index.ts'
import { validateLimitRange } from './validate.ts'

const createLimitRange = (...limits: LimitRangeItem[]): LimitRange => ({ metadata: { name: 'a' }, spec: { limits } })
const validate = (...limits: LimitRangeItem[]): string[] => validateLimitRange(createLimitRange(...limits)).map(formatFieldError)

describe('limit ranges', () => {
  it('set the default container limits to the maximum, and default requests to the limit or minimum', () => {
    const object = createLimitRange({ type: 'Container', max: { cpu: '2', memory: '1Gi' }, default: { cpu: '1' }, min: { disk: '1' } })
    setLimitRangeDefaults(object)
    expect(object.spec!.limits![0]).toMatchObject({
      default: { cpu: '1', memory: '1Gi' },
      defaultRequest: { cpu: '1', memory: '1Gi', disk: '1' },
    })
    const ofPods = createLimitRange({ type: 'Pod', max: { cpu: '2' } })
    setLimitRangeDefaults(ofPods)
    expect(ofPods).toEqual(createLimitRange({ type: 'Pod', max: { cpu: '2' } }))
  })

  it('requires minimum ≤ request ≤ limit ≤ maximum', () => {
    expect(
      validate({ type: 'Container', min: { cpu: '3' }, max: { cpu: '2' }, default: { cpu: '4' }, defaultRequest: { cpu: '1' } }),
    ).toEqual([
      'spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than max value 2',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 3 is greater than default request value 1',
      'spec.limits[0].default[cpu]: Invalid value: "2": default value 4 is greater than max value 2',
    ])
  })

  it('rejects a ratio of limit to request that minimum and maximum exclude', () => {
    const item = { type: 'Pod', min: { cpu: '500m' }, max: { cpu: '1' } }
    expect(validate({ ...item, maxLimitRequestRatio: { cpu: '2' } })).toEqual([])
    expect(validate({ ...item, maxLimitRequestRatio: { cpu: '3' } })).toEqual([
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000',
    ])
    expect(validate({ type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } })).toEqual([
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
    ])
  })

  it('rejects duplicate types, and resources that the type does not allow', () => {
    expect(validate({ type: 'Pod', default: { cpu: '1' } }, { type: 'Pod' }, { type: 'House' })).toEqual([
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      'spec.limits[1].type: Duplicate value: "Pod"',
      'spec.limits[2].type: Invalid value: "House": must be a standard limit type or fully qualified',
    ])
    expect(validate({ type: 'PersistentVolumeClaim' })).toEqual([
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ])
  })
})
