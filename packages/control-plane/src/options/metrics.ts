import { isBoolean, isListOf, isMapOf, isString } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'
import type { MetricsSettings } from '@keelson/apimachinery/metrics'

/** Options of the metrics at `/metrics`. */
export type MetricsOptions = Pick<MetricsSettings, 'disabled' | 'showHidden' | 'allowedLabels'>

export const metricsChecks: OptionTable<MetricsOptions> = {
  disabled: isListOf(isString),
  showHidden: isBoolean,
  allowedLabels: isMapOf(isListOf(isString)),
}
