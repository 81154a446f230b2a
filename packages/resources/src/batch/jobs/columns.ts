import type { Job } from '@keelson/api/batch/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { humanDuration } from '@keelson/registry'
import type { Column } from '@keelson/registry'
import { containerColumns, selectorColumn } from '../../workloads/columns.ts'

type ReadonlyJob = DeepReadonly<Job>

export const jobColumns: readonly Column<Job>[] = [
  { name: 'Status', description: 'How it stands.', value: (job) => statusText(job) },
  { name: 'Completions', description: 'How many pods have succeeded, and how many must.', value: (job) => completionsText(job) },
  { name: 'Duration', description: 'How long it took, or has taken so far.', value: (job, now) => durationText(job, now) },
  ...containerColumns<Job>(({ spec }) => spec?.template),
  selectorColumn<Job>(({ spec }) => spec?.selector),
]

function statusText({ metadata, status }: ReadonlyJob): string {
  const is = (type: string): boolean => (status?.conditions ?? []).find((condition) => condition.type === type)?.status === 'True'
  if (is('Complete')) return 'Complete'
  if (is('Failed')) return 'Failed'
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running'
}

function completionsText({ spec, status }: ReadonlyJob): string {
  const succeeded = status?.succeeded ?? 0
  const parallelism = spec?.parallelism ?? 0
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function durationText({ status }: ReadonlyJob, now: number): string {
  const { startTime, completionTime } = status ?? {}
  if (startTime === undefined) return ''
  return humanDuration((completionTime === undefined ? now : Date.parse(completionTime)) - Date.parse(startTime))
}
