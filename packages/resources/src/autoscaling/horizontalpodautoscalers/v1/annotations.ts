import type { KubeObject } from '@keelson/apimachinery'

/** Where autoscaling/v1 keeps what it has no members for. */
export const annotationKeys = {
  metrics: 'autoscaling.alpha.kubernetes.io/metrics',
  currentMetrics: 'autoscaling.alpha.kubernetes.io/current-metrics',
  conditions: 'autoscaling.alpha.kubernetes.io/conditions',
  behavior: 'autoscaling.alpha.kubernetes.io/behavior',
} as const
const all: readonly string[] = [
  ...Object.values(annotationKeys),
  'autoscaling.alpha.kubernetes.io/scale-down-tolerance',
  'autoscaling.alpha.kubernetes.io/scale-up-tolerance',
]

/** The hub has members for all of it: a client's annotations of these names mean nothing there. In place. */
export function dropConversionAnnotations<T extends KubeObject>(object: T): T {
  const { annotations } = object.metadata
  if (annotations === undefined || !all.some((key) => Object.hasOwn(annotations, key))) return object
  const kept = Object.entries(annotations).filter(([key]) => !all.includes(key))
  if (kept.length > 0) object.metadata.annotations = Object.fromEntries(kept)
  else delete object.metadata.annotations
  return object
}
