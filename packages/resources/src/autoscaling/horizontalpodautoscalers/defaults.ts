import type * as v1 from '@keelson/api/autoscaling/v1'
import type { HorizontalPodAutoscaler, HPAScalingRules, MetricSpec } from '@keelson/api/autoscaling/v2'
import { copyObject, wasSentEmpty } from '@keelson/apimachinery'

const defaultUtilization = 80
const scaleUp: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
/** Default rules for scaling down. Without a stabilization window, the default of the controller applies. */
const scaleDown: HPAScalingRules = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }

export function setAutoscalerDefaults(autoscaler: HorizontalPodAutoscaler): void {
  const spec = (autoscaler.spec ??= { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 })
  spec.minReplicas ??= 1
  if ((spec.metrics ?? []).length === 0) spec.metrics = [createCpuMetric(defaultUtilization)]
  const { behavior } = spec
  if (behavior === undefined) return
  behavior.scaleUp = withDefaults(behavior.scaleUp, scaleUp)
  behavior.scaleDown = withDefaults(behavior.scaleDown, scaleDown)
}

/** Sets defaults of the fields of autoscaling/v1. The conversion to v2 sets the other defaults. */
export function setDefaultsV1(autoscaler: v1.HorizontalPodAutoscaler): void {
  const spec = (autoscaler.spec ??= { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 })
  spec.minReplicas ??= 1
}

/** Returns the rules with defaults for missing fields. An empty list `policies` stays empty. */
function withDefaults(rules: HPAScalingRules = {}, defaults: HPAScalingRules): HPAScalingRules {
  const { policies, ...others } = copyObject(defaults)
  return { ...others, ...(policies !== undefined && !wasSentEmpty(rules, 'policies') && { policies }), ...rules }
}

/** Returns the metric for CPU utilization. It is the default, and the only metric with a field in autoscaling/v1. */
export function createCpuMetric(averageUtilization: number = defaultUtilization): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }
}
