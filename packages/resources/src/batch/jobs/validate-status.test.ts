import type { Job, JobSpec, JobStatus } from '@keelson/api/batch/v1'
import { fieldErrorMessage } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { validateJobStatus } from './validate-status.ts'

const start = '2026-01-01T00:00:00Z'
const end = '2026-01-01T00:01:00Z'
const conditions = (...types: string[]): NonNullable<JobStatus['conditions']> => types.map((type) => ({ type, status: 'True' }))
const job = (status: JobStatus, spec: Partial<JobSpec> = {}): Job => ({ metadata: { name: 'j' }, spec: { template: {}, ...spec }, status })
const messages = (status: JobStatus, old: JobStatus = {}, spec?: Partial<JobSpec>): string[] =>
  validateJobStatus(job(status, spec), job(old, spec)).map(fieldErrorMessage)

const complete: JobStatus = { startTime: start, completionTime: end, conditions: conditions('SuccessCriteriaMet', 'Complete') }

describe('job status', () => {
  it('accepts completion and failure', () => {
    expect(messages(complete, { startTime: start })).toEqual([])
    expect(messages({ startTime: start, conditions: conditions('FailureTarget', 'Failed') }, { startTime: start })).toEqual([])
  })

  it.each<[string, JobStatus, JobStatus, readonly string[]]>([
    [
      'completion without SuccessCriteriaMet',
      { startTime: start, completionTime: end, conditions: conditions('Complete') },
      {},
      ['status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition'],
    ],
    [
      'completion together with failure',
      { ...complete, conditions: conditions('SuccessCriteriaMet', 'Complete', 'Failed', 'FailureTarget') },
      {},
      [
        'status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions',
        'status.conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions',
        'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions',
        'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
      ],
    ],
    [
      'removal of a terminal condition',
      { startTime: start, conditions: conditions('SuccessCriteriaMet') },
      complete,
      ['status.conditions: Invalid value: cannot disable the terminal Complete=True condition'],
    ],
    [
      'a completion time before the start time',
      { ...complete, startTime: end, completionTime: start },
      {},
      [`status.completionTime: Invalid value: "${start}": must be equal to or after \`startTime\``],
    ],
    [
      'completion with running pods',
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
      'a changed start time',
      { startTime: end },
      { startTime: start },
      [`status.startTime: Invalid value: "${end}": field is immutable for unsuspended job once set`],
    ],
    [
      'index lists without indexed completion mode',
      { completedIndexes: '0' },
      {},
      ['status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode'],
    ],
    [
      'a pod counted twice',
      { uncountedTerminatedPods: { succeeded: ['a'], failed: ['a', ''] } },
      {},
      [
        'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
        'status.uncountedTerminatedPods.failed[1]: Invalid value: "": must not be empty',
      ],
    ],
  ])('rejects %s', (_title, status, old, expected) => expect(messages(status, old)).toEqual(expected))

  it('rejects an index that is both completed and failed', () => {
    const spec = { completionMode: 'Indexed', completions: 5, backoffLimitPerIndex: 1 }
    expect(messages({ completedIndexes: '0,2-4', failedIndexes: '1' }, {}, spec)).toEqual([])
    expect(messages({ completedIndexes: '0,2-4', failedIndexes: '3' }, {}, spec)).toEqual([
      'status.failedIndexes: Invalid value: "3": failedIndexes and completedIndexes overlap at index: 3',
    ])
  })

  it('accepts stored invalid values if they are unchanged', () => {
    const wrong: JobStatus = { conditions: conditions('Complete'), active: 1, completedIndexes: 'x' }
    expect(messages({ ...wrong, succeeded: 1 }, wrong)).toEqual([])
  })
})
