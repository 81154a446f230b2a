import { createSampledVector } from '@keelson/apimachinery/metrics'
import type { MetricsRegistry } from '@keelson/apimachinery/metrics'
import type { FeatureStage } from './feature-gate-table.ts'
import type { FeatureGates } from './feature-gates.ts'

const stages: Readonly<Record<FeatureStage, string>> = { Alpha: 'ALPHA', Beta: 'BETA', GA: '', Deprecated: 'DEPRECATED' }

/** Registers kube-apiserver's metric `kubernetes_feature_enabled`. Its values are computed on each scrape. */
export function registerFeatureMetrics(registry: MetricsRegistry, features: FeatureGates): void {
  registry.register(
    createSampledVector('gauge', 'kubernetes_feature_enabled', '[BETA] Feature gates by name and stage: 1 enabled, 0 not.', () =>
      features.listGates().map(({ name, stage, enabled }) => [{ name, stage: stages[stage] }, enabled ? 1 : 0] as const),
    ),
  )
}
