import type { Job, JobSpec, JobStatus } from '@keelson/api/batch/v1'
import { fieldErrorMessage } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { validateJobStatus } from './validate-status.ts'

const start = '2026-01-01T00:00:00Z'
const end = '2026-01-01T00:01:00Z'
const is = (...types: string[]): NonNullable<JobStatus['conditions']> => types.map((type) => ({ type, status: 'True' }))
const job = (status: JobStatus, spec: Partial<JobSpec> = {}): Job => ({ metadata: { name: 'j' }, spec: { template: {}, ...spec }, status })
const messages = (status: JobStatus, old: JobStatus = {}, spec?: Partial<JobSpec>): string[] =>
  validateJobStatus(job(status, spec), job(old, spec)).map(fieldErrorMessage)

const complete: JobStatus = { startTime: start, completionTime: end, conditions: is('SuccessCriteriaMet', 'Complete') }

describe('the status of jobs', () => {
  it('ends in one of two ways', () => {
    expect(messages(complete, { startTime: start })).toEqual([])
    expect(messages({ startTime: start, conditions: is('FailureTarget', 'Failed') }, { startTime: start })).toEqual([])
  })

  it.each<[string, JobStatus, JobStatus, readonly string[]]>([
    [
      'done without a decision',
      { startTime: start, completionTime: end, conditions: is('Complete') },
      {},
      ['status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition'],
    ],
    [
      'done and failed',
      { ...complete, conditions: is('SuccessCriteriaMet', 'Complete', 'Failed', 'FailureTarget') },
      {},
      [
        'status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions',
        'status.conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions',
        'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions',
        'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
      ],
    ],
    [
      'done no longer',
      { startTime: start, conditions: is('SuccessCriteriaMet') },
      complete,
      ['status.conditions: Invalid value: cannot disable the terminal Complete=True condition'],
    ],
    [
      'done before it began',
      { ...complete, startTime: end, completionTime: start },
      {},
      [`status.completionTime: Invalid value: "${start}": must be equal to or after \`startTime\``],
    ],
    [
      'done with pods that run',
      { ...complete, active: 1, ready: 2, terminating: 1 },
      {},
      [
        'status.active: Invalid value: 1: active>0 is invalid for finished job',
        'status.terminating: Invalid value: 1: terminating>0 is invalid for finished job',
        'status.ready: Invalid value: 2: cannot set more ready pods than active',
      ],
    ],
    ['fewer failures', { failed: 1 }, { failed: 2 }, ['status.failed: Invalid value: 1: cannot decrease the failed counter']],
    [
      'another beginning',
      { startTime: end },
      { startTime: start },
      [`status.startTime: Invalid value: "${end}": field is immutable for unsuspended job once set`],
    ],
    [
      'indexes without an index',
      { completedIndexes: '0' },
      {},
      ['status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode'],
    ],
    [
      'pods counted twice',
      { uncountedTerminatedPods: { succeeded: ['a'], failed: ['a', ''] } },
      {},
      [
        'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
        'status.uncountedTerminatedPods.failed[1]: Invalid value: "": must not be empty',
      ],
    ],
  ])('is not %s', (_title, status, old, expected) => expect(messages(status, old)).toEqual(expected))

  it('says of each index one thing', () => {
    const spec = { completionMode: 'Indexed', completions: 5, backoffLimitPerIndex: 1 }
    expect(messages({ completedIndexes: '0,2-4', failedIndexes: '1' }, {}, spec)).toEqual([])
    expect(messages({ completedIndexes: '0,2-4', failedIndexes: '3' }, {}, spec)).toEqual([
      'status.failedIndexes: Invalid value: "3": failedIndexes and completedIndexes overlap at index: 3',
    ])
  })

  it('may be written again with what was wrong before', () => {
    const wrong: JobStatus = { conditions: is('Complete'), active: 1, completedIndexes: 'x' }
    expect(messages({ ...wrong, succeeded: 1 }, wrong)).toEqual([])
  })
})
