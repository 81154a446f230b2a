import type { CronJob, CronJobSpec } from '@keelson/api/batch/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { formatFieldError } from '@keelson/apimachinery'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { cronJobs } from './index.ts'
import { findScheduleError } from './schedule-error.ts'
import { isTimeZone } from './time-zone.ts'

const context = {} as RequestContext
const { strategy } = cronJobs

function createCronJob(members: Partial<CronJobSpec> = {}): CronJob {
  const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } }
  const created: CronJob = { metadata: { name: 'c', generation: 1 }, spec: { schedule: '*/5 * * * *', jobTemplate, ...members } }
  cronJobs.setDefaults?.(created)
  return created
}

describe('cron schedules', () => {
  it.each([
    '* * * * *',
    '0 0 1 jan SUN',
    '0-30/5,45 */2 ? * mon-fri',
    '5/15 0 1,15 * 0',
    ', * * * *',
    '@every 1h30m',
    '@midnight',
    'TZ=UTC @daily',
  ])('accepts %s', (schedule) => expect(findScheduleError(schedule)).toBeUndefined())

  it.each([
    ['', 'empty spec string'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['*/2/3 * * * *', 'too many slashes: */2/3'],
    ['*/-2 * * * *', 'negative number (-2) not allowed: -2'],
    ['-5 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ['* * * * fri-mon', 'beginning of range (5) beyond end of range (1): fri-mon'],
    ['* * * * L', 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
    ['@fortnightly', 'unrecognized descriptor: @fortnightly'],
    ['@every x', 'failed to parse duration @every x: time: invalid duration "x"'],
    ['TZ=0', 'invalid schedule format: runtime error: slice bounds out of range [:-1]'],
    ['CRON_TZ=Mars/Base * * * * *', 'provided bad location Mars/Base: unknown time zone Mars/Base'],
  ])('rejects %j', (schedule, message) => expect(findScheduleError(schedule)).toBe(message))
})

describe('time zones', () => {
  it.each(['Europe/Berlin', 'US/Eastern', 'Etc/GMT+1', 'GMT0', 'UTC', 'EST5EDT'])('accepts %s', (name) =>
    expect(isTimeZone(name)).toBe(true),
  )
  it.each(['europe/berlin', 'us/eastern', '+01', 'PST', 'utc', 'Mars/Base'])('rejects %s', (name) => expect(isTimeZone(name)).toBe(false))
})

describe('cron jobs', () => {
  it.each([
    [{ timeZone: '' }, 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string'],
    [{ timeZone: '../etc' }, 'spec.timeZone: Invalid value: "../etc": unknown time zone ../etc'],
    [
      { timeZone: 'Local' },
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
    [
      { schedule: 'TZ=UTC * * * * *' },
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ])('rejects %j', (members, message) => {
    expect(strategy.validateCreate?.(context, createCronJob(members)).map(formatFieldError)).toEqual([message])
  })

  it('accepts a stored schedule with a time zone, and warns about it', () => {
    const old = createCronJob({ schedule: 'TZ=UTC * * * * *' })
    expect(strategy.validateUpdate?.(context, old, old)).toEqual([])
    expect(strategy.warningsOnUpdate?.(context, old, old)).toEqual([
      expect.stringMatching(/^cannot use TZ or CRON_TZ in spec\.spec\.schedule/),
    ])
    expect(strategy.validateUpdate?.(context, { ...old, spec: { ...old.spec!, timeZone: 'UTC' } }, old).map(formatFieldError)).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
    ])
  })

  it('limits the length of the name, because names of jobs are longer', () => {
    const long = createCronJob()
    long.metadata.name = 'a'.repeat(53)
    expect(strategy.validateCreate?.(context, long).map(({ field, detail }) => [field, detail])).toEqual([
      ['metadata.name', 'must be no more than 52 characters'],
    ])
    expect(strategy.validateUpdate?.(context, long, long)).toEqual([])
  })

  it('prints the time of the last job as a column', () => {
    const created: CronJob = { ...createCronJob(), status: { lastScheduleTime: '2026-01-01T00:00:00Z', active: [{ name: 'a' }] } }
    const cells = createTableConvertor(cronJobs).createCells(created, Date.parse('2026-01-01T00:05:00Z'))
    expect(cells).toEqual(['c', '*/5 * * * *', '<none>', 'False', 1, '5m', '<unknown>', 'c', 'i', '<none>'])
  })
})
