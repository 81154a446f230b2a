import { expect, it } from 'vitest'
import { findDifferentMetric } from './admission-metrics.ts'

const name = 'apiserver_admission_webhook_request_total'
const formatPage = (value: number, more = ''): string =>
  `# TYPE ${name} counter\n${name}{code="200",name="m0.a-1.example.com"} ${value}\n${name}{code="200",name="m0.a-11.example.com"} 7\n${more}`

it('compares the counters of the given names', () => {
  expect(findDifferentMetric(formatPage(1), formatPage(1), ['a-1'])).toBeUndefined()
  expect(findDifferentMetric(formatPage(1), formatPage(2), ['a-11'])).toBeUndefined()
  expect(findDifferentMetric(formatPage(1), formatPage(2), ['a-1'])).toMatchObject({
    where: `metric ${name}`,
    want: `${name}{code="200",name="m0.a-1.example.com"} 1`,
    got: `${name}{code="200",name="m0.a-1.example.com"} 2`,
  })
})

it('compares the bounds of histograms, but not their values', () => {
  const formatBucket = (bound: string, value: number): string =>
    `apiserver_validating_admission_policy_check_duration_seconds_bucket{policy="a-1",le="${bound}"} ${value}\n`
  expect(findDifferentMetric(formatPage(1, formatBucket('1', 1)), formatPage(1, formatBucket('1', 5)), ['a-1'])).toBeUndefined()
  expect(findDifferentMetric(formatPage(1, formatBucket('1', 1)), formatPage(1, formatBucket('2', 1)), ['a-1'])).toMatchObject({
    got: 'absent',
  })
})
