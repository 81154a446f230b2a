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
/** How long to wait is left to the controller. */
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

/** Who says that there are no policies gets none. */
function withDefaults(rules: HPAScalingRules = {}, defaults: HPAScalingRules): HPAScalingRules {
  const { policies, ...others } = copyObject(defaults)
  return { ...others, ...(policies !== undefined && !wasSentEmpty(rules, 'policies') && { policies }), ...rules }
}

/** What is wanted where no metric is named, and all that the first version could say. */
export function cpuMetric(averageUtilization: number = defaultUtilization): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }
}
