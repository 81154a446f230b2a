import type * as v1 from '@keelson/api/autoscaling/v1'
import type * as v2 from '@keelson/api/autoscaling/v2'
import type { DeepReadonly } from '@keelson/apimachinery'
import { createMetricIdentifier, createSelectorMember } from './metric-specs.ts'

/** Converts a metric status from v2 to v1. */
export function convertMetricStatusFromHub(status: DeepReadonly<v2.MetricStatus>): v1.MetricStatus {
  const { type, object, pods, resource, containerResource, external } = status as v2.MetricStatus
  return {
    type,
    ...(object && {
      object: {
        target: object.describedObject,
        metricName: object.metric.name,
        currentValue: object.current.value ?? '0',
        ...createSelectorMember('selector', object.metric),
        ...(object.current.averageValue !== undefined && { averageValue: object.current.averageValue }),
      },
    }),
    ...(pods && {
      pods: {
        metricName: pods.metric.name,
        currentAverageValue: pods.current.averageValue ?? '0',
        ...createSelectorMember('selector', pods.metric),
      },
    }),
    ...(resource && { resource: { name: resource.name, ...convertAveragesFromHub(resource.current) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        ...convertAveragesFromHub(containerResource.current),
        container: containerResource.container,
      },
    }),
    ...(external && {
      external: {
        metricName: external.metric.name,
        ...createSelectorMember('metricSelector', external.metric),
        currentValue: external.current.value ?? '0',
        ...(external.current.averageValue !== undefined && { currentAverageValue: external.current.averageValue }),
      },
    }),
  }
}

export function convertMetricStatusToHub({ type, object, pods, resource, containerResource, external }: v1.MetricStatus): v2.MetricStatus {
  return {
    type,
    ...(object && {
      object: {
        metric: createMetricIdentifier(object.metricName, object.selector),
        current: readValues(object.currentValue, object.averageValue),
        describedObject: object.target,
      },
    }),
    ...(pods && {
      pods: { metric: createMetricIdentifier(pods.metricName, pods.selector), current: { averageValue: pods.currentAverageValue ?? '0' } },
    }),
    ...(resource && { resource: { name: resource.name, current: convertAveragesToHub(resource) } }),
    ...(containerResource && {
      containerResource: {
        name: containerResource.name,
        current: convertAveragesToHub(containerResource),
        container: containerResource.container,
      },
    }),
    ...(external && {
      external: {
        metric: createMetricIdentifier(external.metricName, external.metricSelector),
        current: readValues(external.currentValue, external.currentAverageValue),
      },
    }),
  }
}

function readValues(value = '0', averageValue?: string): v2.MetricValueStatus {
  return { value, ...(averageValue !== undefined && { averageValue }) }
}

interface Averages {
  currentAverageUtilization?: number
  currentAverageValue: string
}

function convertAveragesFromHub({ averageUtilization, averageValue = '0' }: v2.MetricValueStatus): Averages {
  return {
    ...(averageUtilization !== undefined && { currentAverageUtilization: averageUtilization }),
    currentAverageValue: averageValue,
  }
}

function convertAveragesToHub({ currentAverageUtilization, currentAverageValue = '0' }: Averages): v2.MetricValueStatus {
  return {
    averageValue: currentAverageValue,
    ...(currentAverageUtilization !== undefined && { averageUtilization: currentAverageUtilization }),
  }
}
