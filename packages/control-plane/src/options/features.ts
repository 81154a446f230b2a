import { isBoolean, mapOf } from '@keelson/apimachinery'
import type { OptionTable } from '@keelson/apimachinery'

/** Feature gates, and the API versions and resources that are served. */
export interface FeatureOptions {
  /** Feature gates by kube-apiserver's names. */
  readonly gates?: Readonly<Record<string, boolean>>
  /**
   * Enables or disables versions and resources: `apps/v1`, `v1` (core), `apps/v1/daemonsets`, `api/all`, `api/ga`, `api/beta`, `api/alpha`.
   * Default: the stable versions.
   */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>
}

export const featureChecks: OptionTable<FeatureOptions> = { gates: mapOf(isBoolean), runtimeConfig: mapOf(isBoolean) }
