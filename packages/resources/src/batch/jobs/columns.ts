import type { Job } from '@keelson/api/batch/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { formatHumanDuration } from '@keelson/registry'
import type { Column } from '@keelson/registry'
import { createContainerColumns, createSelectorColumn } from '../../workloads/columns.ts'

type ReadonlyJob = DeepReadonly<Job>

export const jobColumns: readonly Column<Job>[] = [
  { name: 'Status', description: 'State of the job.', value: (job) => formatStatus(job) },
  { name: 'Completions', description: 'Number of succeeded pods and of required completions.', value: (job) => formatCompletions(job) },
  {
    name: 'Duration',
    description: 'Run time of the job so far, or in total once it has completed.',
    value: (job, now) => formatDuration(job, now),
  },
  ...createContainerColumns<Job>(({ spec }) => spec?.template),
  createSelectorColumn<Job>(({ spec }) => spec?.selector),
]

function formatStatus({ metadata, status }: ReadonlyJob): string {
  const hasTrue = (type: string): boolean => (status?.conditions ?? []).find((condition) => condition.type === type)?.status === 'True'
  if (hasTrue('Complete')) return 'Complete'
  if (hasTrue('Failed')) return 'Failed'
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(hasTrue) ?? 'Running'
}

function formatCompletions({ spec, status }: ReadonlyJob): string {
  const succeeded = status?.succeeded ?? 0
  const parallelism = spec?.parallelism ?? 0
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function formatDuration({ status }: ReadonlyJob, now: number): string {
  const { startTime, completionTime } = status ?? {}
  if (startTime === undefined) return ''
  return formatHumanDuration((completionTime === undefined ? now : Date.parse(completionTime)) - Date.parse(startTime))
}
