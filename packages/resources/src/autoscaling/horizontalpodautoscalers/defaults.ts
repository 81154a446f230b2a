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
/** Has no stabilization window: the controller's own default applies. */
const scaleDown: HPAScalingRules = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }

export function setAutoscalerDefaults(autoscaler: HorizontalPodAutoscaler): void {
  const spec = (autoscaler.spec ??= { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 })
  spec.minReplicas ??= 1
  if ((spec.metrics ?? []).length === 0) spec.metrics = [cpuMetric(defaultUtilization)]
  const { behavior } = spec
  if (behavior === undefined) return
  behavior.scaleUp = withDefaults(behavior.scaleUp, scaleUp)
  behavior.scaleDown = withDefaults(behavior.scaleDown, scaleDown)
}

/** Sets the defaults of fields that autoscaling/v1 has. The conversion to v2 sets the others. */
export function setDefaultsV1(autoscaler: v1.HorizontalPodAutoscaler): void {
  const spec = (autoscaler.spec ??= { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 })
  spec.minReplicas ??= 1
}

/** Fills missing fields. An empty `policies` list sent by the client stays empty. */
function withDefaults(rules: HPAScalingRules = {}, defaults: HPAScalingRules): HPAScalingRules {
  const { policies, ...others } = copyObject(defaults)
  return { ...others, ...(policies !== undefined && !wasSentEmpty(rules, 'policies') && { policies }), ...rules }
}

/** The default metric, and the only one that autoscaling/v1 has a field for. */
export function cpuMetric(averageUtilization: number = defaultUtilization): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }
}
