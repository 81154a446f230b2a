import type { Job, JobSpec, JobStatus } from '@keelson/api/batch/v1'
import type { RequestContext } from '@keelson/apimachinery'
import { formatFieldError } from '@keelson/apimachinery'
import { fourfold, measureProcessorTime } from '@keelson/apimachinery/testing'
import { createTableConvertor } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { jobs } from './index.ts'

const context = {} as RequestContext
const { strategy } = jobs

function createJob(members: Partial<JobSpec> = {}, labels?: Record<string, string>): Job {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
  const metadata = { name: 'j', uid: 'u-1', generation: 1, ...(labels && { labels }) }
  const created: Job = { metadata, spec: { template, ...structuredClone(members) } }
  jobs.setDefaults?.(created)
  strategy.prepareForCreate?.(context, created)
  return created
}

const validateToMessages = (created: Job): string[] => (strategy.validateCreate?.(context, created) ?? []).map(formatFieldError)
const updateMessages = (created: Job, old: Job): string[] => (strategy.validateUpdate?.(context, created, old) ?? []).map(formatFieldError)

describe('jobs', () => {
  it('sets one completion by default', () => {
    expect(createJob().spec).toMatchObject({
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
    })
    expect(createJob({ parallelism: 3 }).spec?.completions).toBeUndefined()
    expect(createJob({ completions: 3, completionMode: 'Indexed', backoffLimitPerIndex: 1 }).spec?.backoffLimit).toBe(2_147_483_647)
  })

  it('generates a unique selector', () => {
    const created = createJob()
    const labels = {
      'batch.kubernetes.io/controller-uid': 'u-1',
      'batch.kubernetes.io/job-name': 'j',
      'controller-uid': 'u-1',
      'job-name': 'j',
    }
    expect(created.spec).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u-1' } },
      template: { metadata: { labels } },
    })
    expect(validateToMessages(created)).toEqual([])
    expect(jobs.storage?.defaultOnRead?.isDue(created)).toBe(true)
    jobs.storage?.defaultOnRead?.fill(created)
    expect(created.metadata.labels).toEqual(labels)
  })

  it('copies the labels of the template, including generated ones, unless the job has labels', () => {
    const template = { metadata: { labels: { app: 'a' } } }
    const labels = { app: 'a', 'job-name': 'j', 'controller-uid': 'u-1' }
    expect(createJob({ template: structuredClone(template) }).metadata.labels).toMatchObject(labels)
    expect(createJob({ template }, { own: 'l' }).metadata.labels).toEqual({ own: 'l' })
  })

  it('rejects changes of the generated selector', () => {
    const template = {
      metadata: { labels: { 'job-name': 'other' } },
      spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
    }
    expect(validateToMessages(createJob({ template }))).toEqual([
      expect.stringMatching(/^spec.template.metadata.labels\[job-name\]: .*: must be 'j'$/),
    ])
    expect(validateToMessages(createJob({ template, manualSelector: true, selector: { matchLabels: { 'job-name': 'other' } } }))).toEqual(
      [],
    )
    expect(validateToMessages(createJob({ manualSelector: true }))).toEqual([
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    ])
  })

  it('warns about deletes without a propagation policy', () => {
    expect(strategy.warningsOnDelete?.({})).toEqual([expect.stringMatching(/^child pods are preserved by default/)])
    expect(strategy.warningsOnDelete?.({ propagationPolicy: 'Background' })).toEqual([])
    expect(strategy.warningsOnDelete?.({ orphanDependents: false })).toEqual([])
  })

  it('requires a name for which the hostnames of pods are valid', () => {
    const created = createJob({ completionMode: 'Indexed', completions: 1000 })
    created.metadata.name = 'j'.repeat(61)
    expect(validateToMessages(created)).toContainEqual(expect.stringContaining('will not able to create pod with invalid DNS label'))
  })

  it.each<[Partial<JobSpec>, string]>([
    [
      { podFailurePolicy: { rules: [{ action: '', onPodConditions: [{ type: 'Ready', status: '' }] }] } },
      'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
    ],
    [
      { podFailurePolicy: { rules: [{ action: 'Count' }] } },
      'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
    ],
    [
      { podFailurePolicy: { rules: [{ action: 'Count', onExitCodes: { operator: 'In', values: [3, 2, 2], containerName: 'c' } }] } },
      'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [3,2,2]: must be ordered',
    ],
    [{ managedBy: 'a/' }, 'spec.managedBy: Invalid value: "a/": must be a domain-prefixed path (such as "acme.io/foo")'],
    [
      { successPolicy: { rules: [{ succeededCount: 1 }] } },
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
    ],
    [
      { completionMode: 'Indexed', completions: 2, successPolicy: { rules: [{ succeededIndexes: '0', succeededCount: 2 }] } },
      'spec.successPolicy.rules[0].succeededCount: Invalid value: 2: must be less than or equal to 1 (the number of indexes in the specified succeededIndexes field)',
    ],
    [{ maxFailedIndexes: 1 }, 'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified'],
    [
      { podReplacementPolicy: 'Never' },
      'spec.podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"',
    ],
  ])('rejects %j', (members, message) => expect(validateToMessages(createJob(members))).toContain(message))

  it('rejects changes of immutable fields', () => {
    const createIndexedJob = (count: number, parallelism = count): Job =>
      createJob({ completionMode: 'Indexed', completions: count, parallelism })
    expect(updateMessages(createIndexedJob(3), createIndexedJob(2))).toEqual([])
    expect(updateMessages(createIndexedJob(3, 1), createIndexedJob(2))).toEqual([
      'spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism',
    ])
    expect(updateMessages(createJob({ completions: 3 }), createJob())).toContain('spec.completions: Invalid value: 3: field is immutable')
    const other = createJob()
    other.spec!.template.spec!.containers![0]!.image = 'other'
    expect(updateMessages(other, createJob())).toEqual([
      expect.stringMatching(/^spec\.template: Invalid value: \{"labels":.*: field is immutable$/),
    ])
  })

  it('allows changes of scheduling fields while the job is suspended', () => {
    const changeTemplate = (created: Job): Job => {
      const pod = created.spec!.template.spec!
      pod.nodeSelector = { zone: 'a' }
      pod.affinity = { nodeAffinity: {} }
      pod.containers![0]!.resources = { requests: { cpu: '1' } }
      return created
    }
    const suspended = createJob({ suspend: true })
    expect(updateMessages(changeTemplate(createJob({ suspend: true })), suspended)).toEqual([])
    const image = changeTemplate(createJob({ suspend: true }))
    image.spec!.template.spec!.containers![0]!.image = 'other'
    expect(updateMessages(image, suspended)).toEqual([
      expect.stringMatching(/^spec\.template\.spec: Invalid value: .*: field is immutable$/),
    ])
    const started: Job = { ...suspended, status: { startTime: '2026-01-01T00:00:00Z' } }
    expect(updateMessages(changeTemplate(createJob({ suspend: true })), started)).toEqual([
      expect.stringMatching(/^spec\.template: Invalid value/),
    ])
  })

  it('orphans pods of a deleted job by default', () => {
    expect(strategy.defaultPropagation).toBe('orphan')
  })

  it('prints the state as columns', () => {
    const printCells = (status: JobStatus, members?: Partial<JobSpec>): unknown[] => {
      const created: Job = { ...createJob(members), status }
      return createTableConvertor(jobs).createCells(created, Date.parse('2026-01-01T00:01:00Z')).slice(1, 4)
    }
    expect(printCells({})).toEqual(['Running', '0/1', ''])
    expect(printCells({ startTime: '2026-01-01T00:00:00Z', succeeded: 1 }, { parallelism: 2 })).toEqual(['Running', '1/1 of 2', '60s'])
    const complete = [{ type: 'Complete', status: 'True' }]
    expect(
      printCells({ startTime: '2026-01-01T00:00:00Z', completionTime: '2026-01-01T00:00:30Z', succeeded: 1, conditions: complete }),
    ).toEqual(['Complete', '1/1', '30s'])
  })
})

it('checks exit codes for duplicates in linear time', async () => {
  const createWithFailurePolicy = (count: number): Job => {
    const values = Array.from({ length: count }, (_, i) => i + 1)
    return createJob({ podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values } }] } })
  }
  const [few, many] = [createWithFailurePolicy(25_000), createWithFailurePolicy(100_000)]
  const small = await measureProcessorTime(() => validateToMessages(few))
  expect(await measureProcessorTime(() => validateToMessages(many))).toBeLessThan(fourfold * small)
  expect(validateToMessages(many)).toEqual([expect.stringContaining('Too many: 100000')])
})
