import type { Job, JobSpec, JobStatus } from '@keelson/api/batch/v1'
import { formatFieldError } from '@keelson/apimachinery'
import { describe, expect, it } from 'vitest'
import { validateJobStatus } from './validate-status.ts'

const start = '2026-01-01T00:00:00Z'
const end = '2026-01-01T00:01:00Z'
const createConditions = (...types: string[]): NonNullable<JobStatus['conditions']> => types.map((type) => ({ type, status: 'True' }))
const createJob = (status: JobStatus, spec: Partial<JobSpec> = {}): Job => ({
  metadata: { name: 'j' },
  spec: { template: {}, ...spec },
  status,
})
const validateToMessages = (status: JobStatus, old: JobStatus = {}, spec?: Partial<JobSpec>): string[] =>
  validateJobStatus(createJob(status, spec), createJob(old, spec)).map(formatFieldError)

const complete: JobStatus = { startTime: start, completionTime: end, conditions: createConditions('SuccessCriteriaMet', 'Complete') }

describe('job status', () => {
  it('accepts completion and failure', () => {
    expect(validateToMessages(complete, { startTime: start })).toEqual([])
    expect(validateToMessages({ startTime: start, conditions: createConditions('FailureTarget', 'Failed') }, { startTime: start })).toEqual(
      [],
    )
  })

  it.each<[string, JobStatus, JobStatus, readonly string[]]>([
    [
      'completion without SuccessCriteriaMet',
      { startTime: start, completionTime: end, conditions: createConditions('Complete') },
      {},
      ['status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition'],
    ],
    [
      'completion together with failure',
      { ...complete, conditions: createConditions('SuccessCriteriaMet', 'Complete', 'Failed', 'FailureTarget') },
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
      { startTime: start, conditions: createConditions('SuccessCriteriaMet') },
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
  ])('rejects %s', (_title, status, old, expected) => expect(validateToMessages(status, old)).toEqual(expected))

  it('rejects an index that is both completed and failed', () => {
    const spec = { completionMode: 'Indexed', completions: 5, backoffLimitPerIndex: 1 }
    expect(validateToMessages({ completedIndexes: '0,2-4', failedIndexes: '1' }, {}, spec)).toEqual([])
    expect(validateToMessages({ completedIndexes: '0,2-4', failedIndexes: '3' }, {}, spec)).toEqual([
      'status.failedIndexes: Invalid value: "3": failedIndexes and completedIndexes overlap at index: 3',
    ])
  })

  it('accepts stored invalid values if they are unchanged', () => {
    const invalidStatus: JobStatus = { conditions: createConditions('Complete'), active: 1, completedIndexes: 'x' }
    expect(validateToMessages({ ...invalidStatus, succeeded: 1 }, invalidStatus)).toEqual([])
  })
})
