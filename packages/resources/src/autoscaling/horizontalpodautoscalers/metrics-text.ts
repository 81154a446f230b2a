import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from '@keelson/api/autoscaling/v2'
import type { DeepReadonly } from '@keelson/apimachinery'

type Metric = DeepReadonly<MetricSpec>
type Seen = DeepReadonly<MetricStatus> | undefined

const shown = 2
const unknown = '<unknown>'

/** "cpu: 20%/80%": what was seen of each metric, and what is wanted; more than two in short. */
export function metricsText(metrics: readonly Metric[], statuses: readonly DeepReadonly<MetricStatus>[]): string {
  if (metrics.length === 0) return '<none>'
  const texts = metrics.map((metric, i) => metricText(metric, statuses[i]))
  const text = texts.slice(0, shown).join(', ')
  return texts.length > shown ? `${text} + ${texts.length - shown} more...` : text
}

function metricText({ type, object, pods, resource, containerResource, external }: Metric, seen: Seen): string {
  switch (type) {
    case 'External':
      return valueText(external?.target, seen?.external?.current)
    case 'Object':
      return valueText(object?.target, seen?.object?.current)
    case 'Pods':
      return `${seen?.pods?.current.averageValue ?? unknown}/${pods?.target.averageValue ?? ''}`
    case 'Resource':
      return resourceText(resource?.name ?? '', resource?.target, seen?.resource?.current)
    case 'ContainerResource':
      return resourceText(containerResource?.name ?? '', containerResource?.target, seen?.containerResource?.current)
    default:
      return '<unknown type>'
  }
}

function valueText(target: DeepReadonly<MetricTarget> | undefined, current: DeepReadonly<MetricValueStatus> | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`
  return `${current?.value ?? unknown}/${target?.value ?? ''}`
}

function resourceText(
  name: string,
  target: DeepReadonly<MetricTarget> | undefined,
  current: DeepReadonly<MetricValueStatus> | undefined,
): string {
  if (target?.averageValue !== undefined) return `${name}: ${current?.averageValue ?? unknown}/${target.averageValue}`
  const percent = (share: number | undefined, otherwise: string): string => (share === undefined ? otherwise : `${share}%`)
  return `${name}: ${percent(current?.averageUtilization, unknown)}/${percent(target?.averageUtilization, '<auto>')}`
}
