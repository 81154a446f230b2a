import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from '@keelson/api/autoscaling/v2'
import type { DeepReadonly } from '@keelson/apimachinery'

type Metric = DeepReadonly<MetricSpec>
type CurrentMetric = DeepReadonly<MetricStatus> | undefined

const maxShown = 2
const unknown = '<unknown>'

/** Formats current and target values of the first two metrics, like "cpu: 20%/80%", and the number of further metrics. */
export function formatMetrics(metrics: readonly Metric[], statuses: readonly DeepReadonly<MetricStatus>[]): string {
  if (metrics.length === 0) return '<none>'
  const texts = metrics.map((metric, i) => formatMetric(metric, statuses[i]))
  const text = texts.slice(0, maxShown).join(', ')
  return texts.length > maxShown ? `${text} + ${texts.length - maxShown} more...` : text
}

function formatMetric({ type, object, pods, resource, containerResource, external }: Metric, current: CurrentMetric): string {
  switch (type) {
    case 'External':
      return formatValue(external?.target, current?.external?.current)
    case 'Object':
      return formatValue(object?.target, current?.object?.current)
    case 'Pods':
      return `${current?.pods?.current.averageValue ?? unknown}/${pods?.target.averageValue ?? ''}`
    case 'Resource':
      return formatResource(resource?.name ?? '', resource?.target, current?.resource?.current)
    case 'ContainerResource':
      return formatResource(containerResource?.name ?? '', containerResource?.target, current?.containerResource?.current)
    default:
      return '<unknown type>'
  }
}

function formatValue(target: DeepReadonly<MetricTarget> | undefined, current: DeepReadonly<MetricValueStatus> | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`
  return `${current?.value ?? unknown}/${target?.value ?? ''}`
}

function formatResource(
  name: string,
  target: DeepReadonly<MetricTarget> | undefined,
  current: DeepReadonly<MetricValueStatus> | undefined,
): string {
  if (target?.averageValue !== undefined) return `${name}: ${current?.averageValue ?? unknown}/${target.averageValue}`
  const formatPercent = (share: number | undefined, fallback: string): string => (share === undefined ? fallback : `${share}%`)
  return `${name}: ${formatPercent(current?.averageUtilization, unknown)}/${formatPercent(target?.averageUtilization, '<auto>')}`
}
