import type { KubeObject } from '@keelson/apimachinery'

/** Annotations of autoscaling/v1 for values of v2 fields that v1 does not have. */
export const annotationKeys = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const
const conversionKeys: readonly string[] = [
  ...Object.values(annotationKeys),
  'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
  'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
]

/** Removes the conversion annotations, because the hub version (v2) has fields for their values. Mutates and returns its argument. */
export function dropConversionAnnotations<T extends KubeObject>(object: T): T {
  const { annotations } = object.metadata
  if (annotations === undefined || !conversionKeys.some((key) => Object.hasOwn(annotations, key))) return object
  const remaining = Object.entries(annotations).filter(([key]) => !conversionKeys.includes(key))
  if (remaining.length > 0) object.metadata.annotations = Object.fromEntries(remaining)
  else delete object.metadata.annotations
  return object
}
