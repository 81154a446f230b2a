import type { CronJob } from '@keelson/api/batch/v1'
import { age } from '@keelson/registry'
import type { Column } from '@keelson/registry'
import { containerColumns, selectorColumn } from '../../workloads/columns.ts'

export const cronJobColumns: readonly Column<CronJob>[] = [
  { name: 'Schedule', description: 'When it makes a job.', value: ({ spec }) => spec?.schedule ?? '' },
  { name: 'Timezone', description: 'Where that time is.', value: ({ spec }) => spec?.timeZone ?? '<none>' },
  { name: 'Suspend', type: 'boolean', description: 'Whether it makes none for now.', value: ({ spec }) => suspended(spec?.suspend) },
  { name: 'Active', type: 'integer', description: 'How many of its jobs run.', value: ({ status }) => (status?.active ?? []).length },
  {
    name: 'Last Schedule',
    description: 'Time since it last made one.',
    value: ({ status }, now) => (status?.lastScheduleTime === undefined ? '<none>' : age(status.lastScheduleTime, now)),
  },
  ...containerColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template),
  selectorColumn<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.selector),
]

/** The original prints it as text, whatever the column says. */
function suspended(value: boolean | undefined): string {
  if (value === undefined) return '<unset>'
  return value ? 'True' : 'False'
}
