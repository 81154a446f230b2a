import type { CronJob } from '@keelson/api/batch/v1'
import { formatAge } from '@keelson/registry'
import type { Column } from '@keelson/registry'
import { createContainerColumns, createSelectorColumn } from '../../workloads/columns.ts'

export const cronJobColumns: readonly Column<CronJob>[] = [
  { name: 'Schedule', description: 'Schedule in cron format.', value: ({ spec }) => spec?.schedule ?? '' },
  { name: 'Timezone', description: 'Time zone of the schedule.', value: ({ spec }) => spec?.timeZone ?? '<none>' },
  {
    name: 'Suspend',
    type: 'boolean',
    description: 'True if no new jobs are started.',
    value: ({ spec }) => formatSuspended(spec?.suspend),
  },
  { name: 'Active', type: 'integer', description: 'Number of running jobs.', value: ({ status }) => (status?.active ?? []).length },
  {
    name: 'Last Schedule',
    description: 'Time since the last job was started.',
    value: ({ status }, now) => (status?.lastScheduleTime === undefined ? '<none>' : formatAge(status.lastScheduleTime, now)),
  },
  ...createContainerColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template),
  createSelectorColumn<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.selector),
]

/** Formats the suspension. Like in kube-apiserver, it is a string, although the type of the column is boolean. */
function formatSuspended(value: boolean | undefined): string {
  if (value === undefined) return '<unset>'
  return value ? 'True' : 'False'
}
