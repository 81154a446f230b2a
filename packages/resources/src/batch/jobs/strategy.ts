import type { Job } from '@keelson/api/batch/v1'
import { newFieldPath } from '@keelson/apimachinery'
import { withoutFields } from '@keelson/apimachinery/managed-fields'
import type { Strategy, SubresourceStrategy } from '@keelson/registry'
import { keepMember, findPodNameWarnings } from '@keelson/resources-core'
import { countSpecChanges, dropDisabledTemplateFields, isNewGeneration } from '../../workloads/template-hooks.ts'
import { generateSelector } from './job-labels.ts'
import { findJobSpecWarnings } from './job-spec-warnings.ts'
import { validateJobStatus } from './validate-status.ts'
import { validateJob, validateJobUpdate } from './validate.ts'

const specPath = newFieldPath('spec')
const orphanWarning =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning'

export const jobStrategy: Strategy<Job> = {
  resetFields: withoutFields('status'),
  // batch/v1 is older than garbage collection, so deleting a job orphans its pods by default.
  defaultPropagation: 'orphan',
  warningsOnDelete: ({ propagationPolicy, orphanDependents }) =>
    propagationPolicy === undefined && orphanDependents === undefined ? [orphanWarning] : [],
  prepareForCreate(_context, job) {
    generateSelector(job)
    job.status = {}
    job.metadata.generation = 1
    dropDisabledTemplateFields(job.spec?.template)
  },
  validateCreate: (_context, job) => validateJob(job),
  warningsOnCreate: (_context, { metadata, spec }) => [...findPodNameWarnings(metadata.name ?? ''), ...findJobSpecWarnings(spec, specPath)],
  prepareForUpdate(_context, job, old) {
    keepMember(job, old, 'status')
    dropDisabledTemplateFields(job.spec?.template, old.spec?.template)
    countSpecChanges(job, old)
  },
  validateUpdate: (_context, job, old) => validateJobUpdate(job, old),
  warningsOnUpdate: (_context, job, old) => (isNewGeneration(job, old) ? findJobSpecWarnings(job.spec, specPath) : []),
}

export const jobStatus: SubresourceStrategy<Job> = {
  update: {
    resetFields: withoutFields('spec'),
    prepareForUpdate: (_context, job, old) => keepMember(job, old, 'spec'),
    validateUpdate: (_context, job, old) => validateJobStatus(job, old),
  },
}
