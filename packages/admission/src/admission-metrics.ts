import { createHistogram, createSummary, lazily } from '@keelson/apimachinery/metrics'
import type { Histogram, MetricsRegistry, Summary } from '@keelson/apimachinery/metrics'
import type { AdmissionOperation } from './admission.ts'

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5]
const summaryAgeMs = 5 * 3_600_000

/** Records one call. `now` is `performance.now()` at its end. Allocates nothing once the series exists. */
export type ObserveAdmission = (rejected: boolean, seconds: number, now: number) => void
export type AdmissionType = 'admit' | 'validate'

/** Named as in kube-apiserver, so its dashboards and alerts keep working. */
export interface AdmissionMetrics {
  /** Returns the observer of one phase of a plugin. */
  plugin(name: string, type: AdmissionType, operation: AdmissionOperation): ObserveAdmission
  /** Returns the observer of one phase of the whole chain. */
  step(type: AdmissionType, operation: AdmissionOperation): ObserveAdmission
}

export function createAdmissionMetrics(registry: MetricsRegistry): AdmissionMetrics {
  const histogram = (name: string, help: string): ReturnType<typeof createHistogram> =>
    registry.register(createHistogram(name, `[STABLE] ${help}`, buckets))
  const steps = histogram(
    'apiserver_admission_step_admission_duration_seconds',
    'How long all admission plugins took together, by type (validate or admit) and operation.',
  )
  const summaries = registry.register(
    createSummary(
      'apiserver_admission_step_admission_duration_seconds_summary',
      '[ALPHA] How long all admission plugins took together, by type (validate or admit) and operation.',
      summaryAgeMs,
    ),
  )
  const plugins = histogram(
    'apiserver_admission_controller_admission_duration_seconds',
    'How long an admission plugin took, by its name, type (validate or admit) and operation.',
  )
  return {
    plugin: (name, type, operation) => {
      const series = byOutcome((rejected) => plugins.with({ name, type, operation, rejected }))
      return (rejected, seconds) => series(rejected).observe(seconds)
    },
    step: (type, operation) => {
      const series = byOutcome((rejected): { histogram: Histogram; summary: Summary } => {
        const labels = { type, operation, rejected }
        return { histogram: steps.with(labels), summary: summaries.with(labels) }
      })
      return (rejected, seconds, now) => {
        const { histogram, summary } = series(rejected)
        histogram.observe(seconds)
        summary.observe(seconds, now)
      }
    },
  }
}

/** Creates each series on first use. */
function byOutcome<S>(make: (rejected: 'true' | 'false') => S): (rejected: boolean) => S {
  const accepted = lazily(() => make('false'))
  const refused = lazily(() => make('true'))
  return (rejected) => (rejected ? refused() : accepted())
}
