import type * as v1 from '@keelson/api/autoscaling/v1'
import type * as v2 from '@keelson/api/autoscaling/v2'
import type { DeepReadonly } from '@keelson/apimachinery'
import { createCpuMetric } from '../defaults.ts'
import { decodeList, encodeList } from './annotation-lists.ts'
import { annotationKeys, dropConversionAnnotations } from './annotations.ts'
import { decodeBehavior, encodeBehavior } from './behavior-annotation.ts'
import { convertMetricFromHub, convertMetricToHub } from './metric-specs.ts'
import { convertMetricStatusFromHub, convertMetricStatusToHub } from './metric-statuses.ts'

/** Converts an autoscaler from v1 to v2. v1 has a field for CPU utilization and annotations for all other values. */
export function toHub(autoscaler: v1.HorizontalPodAutoscaler): v2.HorizontalPodAutoscaler {
  const { metadata, spec, status, ...rest } = autoscaler
  const annotations = metadata.annotations ?? {}
  const { targetCPUUtilizationPercentage: utilization, ...specRest } = spec ?? { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 }
  const otherMetrics = decodeList<v1.MetricSpec>('MetricSpec', annotations[annotationKeys.metrics]) ?? []
  const metrics = [...otherMetrics.map(convertMetricToHub), ...(utilization === undefined ? [] : [createCpuMetric(utilization)])]
  const behavior = decodeBehavior(annotations[annotationKeys.behavior])
  return dropConversionAnnotations({
    ...rest,
    metadata,
    spec: { ...specRest, metrics: metrics.length > 0 ? metrics : [createCpuMetric()], ...(behavior !== undefined && { behavior }) },
    status: convertStatusToHub(status ?? { currentReplicas: 0, desiredReplicas: 0 }, annotations),
  })
}

function convertStatusToHub(
  status: v1.HorizontalPodAutoscalerStatus,
  annotations: Readonly<Record<string, string>>,
): v2.HorizontalPodAutoscalerStatus {
  const { observedGeneration, lastScaleTime, currentReplicas, desiredReplicas, currentCPUUtilizationPercentage: utilization } = status
  // The annotation overrides the field: it contains all metrics, the field only CPU utilization.
  const current = decodeList<v1.MetricStatus>('MetricStatus', annotations[annotationKeys.currentMetrics])?.map(convertMetricStatusToHub)
  const conditions = decodeList<v2.HorizontalPodAutoscalerCondition>(
    'HorizontalPodAutoscalerCondition',
    annotations[annotationKeys.conditions],
  )
  const cpu: v2.MetricStatus[] | null =
    utilization === undefined ? null : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: utilization } } }]
  return {
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(lastScaleTime !== undefined && { lastScaleTime }),
    ...(currentReplicas && { currentReplicas }),
    desiredReplicas: desiredReplicas ?? 0,
    currentMetrics: current ?? cpu,
    ...(conditions !== undefined && { conditions }),
  }
}

export function fromHub(autoscaler: DeepReadonly<v2.HorizontalPodAutoscaler>): v1.HorizontalPodAutoscaler {
  const { metadata, spec, status, ...rest } = autoscaler as v2.HorizontalPodAutoscaler
  const {
    scaleTargetRef,
    minReplicas,
    maxReplicas,
    metrics = [],
    behavior,
  } = spec ?? { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 }
  const target = metrics.find(isCpuUtilization)?.resource?.target.averageUtilization
  const otherMetrics = metrics.filter((metric) => !isCpuUtilization(metric))
  const currentMetrics = status?.currentMetrics ?? []
  const conditions = status?.conditions ?? []
  const annotations = {
    ...dropConversionAnnotations({ metadata: { ...metadata } }).metadata.annotations,
    ...(otherMetrics.length > 0 && { [annotationKeys.metrics]: encodeList('MetricSpec', otherMetrics.map(convertMetricFromHub)) }),
    ...(currentMetrics.length > 0 && {
      [annotationKeys.currentMetrics]: encodeList('MetricStatus', currentMetrics.map(convertMetricStatusFromHub)),
    }),
    ...(behavior !== undefined && { [annotationKeys.behavior]: encodeBehavior(behavior) }),
    ...(conditions.length > 0 && { [annotationKeys.conditions]: encodeList('HorizontalPodAutoscalerCondition', conditions) }),
  }
  const { annotations: _replaced, ...metadataRest } = metadata
  return {
    ...rest,
    metadata: Object.keys(annotations).length > 0 ? { ...metadataRest, annotations } : metadataRest,
    spec: {
      scaleTargetRef,
      ...(minReplicas !== undefined && { minReplicas }),
      maxReplicas,
      ...(target !== undefined && { targetCPUUtilizationPercentage: target }),
    },
    status: convertStatusFromHub(status),
  }
}

function isCpuUtilization({ type, resource }: v2.MetricSpec): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined
}

function convertStatusFromHub(status: v2.HorizontalPodAutoscalerStatus | undefined): v1.HorizontalPodAutoscalerStatus {
  const { observedGeneration, lastScaleTime, currentReplicas = 0, desiredReplicas = 0, currentMetrics } = status ?? {}
  const cpu = (currentMetrics ?? []).findLast(
    ({ type, resource }) => type === 'Resource' && resource?.name === 'cpu' && resource.current.averageUtilization !== undefined,
  )
  const utilization = cpu?.resource?.current.averageUtilization
  return {
    ...(observedGeneration !== undefined && { observedGeneration }),
    ...(lastScaleTime !== undefined && { lastScaleTime }),
    currentReplicas,
    desiredReplicas,
    ...(utilization !== undefined && { currentCPUUtilizationPercentage: utilization }),
  }
}
