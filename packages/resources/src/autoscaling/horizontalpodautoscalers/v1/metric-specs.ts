import type * as v1 from '@keelson/api/autoscaling/v1'
import type * as v2 from '@keelson/api/autoscaling/v2'
import { parseQuantity } from '@keelson/apimachinery'
import type { DeepReadonly, LabelSelector } from '@keelson/apimachinery'

/** Converts a metric spec from v2 to v1. */
export function convertMetricFromHub(metric: DeepReadonly<v2.MetricSpec>): v1.MetricSpec {
  const { type, object, pods, resource, containerResource, external } = metric as v2.MetricSpec
  return {
    type,
    ...(object && {
      object: {
        target: object.describedObject,
        metricName: object.metric.name,
        targetValue: object.target.value ?? '0',
        ...createSelectorMember('selector', object.metric),
        ...(object.target.averageValue !== undefined && { averageValue: object.target.averageValue }),
      },
    }),
    ...(pods && {
      pods: {
        metricName: pods.metric.name,
        targetAverageValue: pods.target.averageValue ?? '0',
        ...createSelectorMember('selector', pods.metric),
      },
    }),
    ...(resource && { resource: { name: resource.name, ...convertAveragesFromHub(resource.target) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        ...convertAveragesFromHub(containerResource.target),
        container: containerResource.container,
      },
    }),
    ...(external && {
      external: {
        metricName: external.metric.name,
        ...createSelectorMember('metricSelector', external.metric),
        ...(external.target.value !== undefined && { targetValue: external.target.value }),
        ...(external.target.averageValue !== undefined && { targetAverageValue: external.target.averageValue }),
      },
    }),
  }
}

export function convertMetricToHub({ type, object, pods, resource, containerResource, external }: v1.MetricSpec): v2.MetricSpec {
  return {
    type,
    ...(object && {
      object: {
        describedObject: object.target,
        target: createObjectTarget(object),
        metric: createMetricIdentifier(object.metricName, object.selector),
      },
    }),
    ...(pods && {
      pods: {
        metric: createMetricIdentifier(pods.metricName, pods.selector),
        target: { type: 'AverageValue', averageValue: pods.targetAverageValue ?? '0' },
      },
    }),
    ...(resource && { resource: { name: resource.name, target: convertAveragesToHub(resource) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        target: convertAveragesToHub(containerResource),
        container: containerResource.container,
      },
    }),
    ...(external && {
      external: { metric: createMetricIdentifier(external.metricName, external.metricSelector), target: createExternalTarget(external) },
    }),
  }
}

export function createMetricIdentifier(name: string, selector: LabelSelector | undefined): v2.MetricIdentifier {
  return { name, ...(selector !== undefined && { selector }) }
}

export function createSelectorMember<Name extends string>(name: Name, { selector }: v2.MetricIdentifier): { [N in Name]?: LabelSelector } {
  return (selector === undefined ? {} : { [name]: selector }) as { [N in Name]?: LabelSelector }
}

interface Averages {
  targetAverageUtilization?: number
  targetAverageValue?: string
}

function convertAveragesFromHub({ averageUtilization, averageValue }: v2.MetricTarget): Averages {
  return {
    ...(averageUtilization !== undefined && { targetAverageUtilization: averageUtilization }),
    ...(averageValue !== undefined && { targetAverageValue: averageValue }),
  }
}

function convertAveragesToHub({
  targetAverageUtilization: averageUtilization,
  targetAverageValue: averageValue,
}: Averages): v2.MetricTarget {
  return {
    type: averageUtilization === undefined ? 'AverageValue' : 'Utilization',
    ...(averageValue !== undefined && { averageValue }),
    ...(averageUtilization !== undefined && { averageUtilization }),
  }
}

/** Converts the target of an object metric. v1 requires the value, so a zero together with an average means that it is not set. */
function createObjectTarget({ targetValue = '0', averageValue }: v1.ObjectMetricSource): v2.MetricTarget {
  if (averageValue === undefined) return { type: 'Value', value: targetValue }
  return { type: 'AverageValue', ...(parseQuantity(targetValue).sign() !== 0 && { value: targetValue }), averageValue }
}

function createExternalTarget({ targetValue: value, targetAverageValue: averageValue }: v1.ExternalMetricSource): v2.MetricTarget {
  return {
    type: value === undefined ? 'AverageValue' : 'Value',
    ...(value !== undefined && { value }),
    ...(averageValue !== undefined && { averageValue }),
  }
}
