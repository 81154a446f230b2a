import { isBoolean, isMapOf } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'

/** Options for feature gates, and for the API versions and resources that are served. */
export interface FeatureOptions {
  /** Values of feature gates, by kube-apiserver's names. */
  readonly gates?: Readonly<Record<string, boolean>>
  /**
   * Enables or disables API versions and resources by key: `apps/v1`, `v1` (core), `apps/v1/daemonsets`, `api/all`, `api/ga`, `api/beta`,
   * `api/alpha`. Default: stable versions are enabled.
   */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>
}

export const featureChecks: OptionTable<FeatureOptions> = { gates: isMapOf(isBoolean), runtimeConfig: isMapOf(isBoolean) }
