import { autoscalingV2 } from '@keelson/api/autoscaling/v2'
import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy, HPAScalingRules } from '@keelson/api/autoscaling/v2'
import { canonicalizeQuantity, stringifyJson } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { toInternalStruct } from '@keelson/resources-core'

type Members = Readonly<Record<string, unknown>>

/** Encodes the scaling behavior for the annotation. Its value is kube-apiserver's internal type in JSON, with Go field names as keys. */
export function encodeBehavior(behavior: DeepReadonly<HorizontalPodAutoscalerBehavior>): string {
  return stringifyJson(toInternalStruct(autoscalingV2.table.resolve('HorizontalPodAutoscalerBehavior'), behavior))
}

/**
 * Decodes the scaling behavior in the annotation. Returns undefined if the annotation is missing, invalid or empty, because kube-apiserver
 * ignores it then.
 */
export function decodeBehavior(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  if (text === undefined) return undefined
  try {
    const members = decodeObject(JSON.parse(text))
    const behavior = withoutUndefined<HorizontalPodAutoscalerBehavior>({
      scaleUp: decodeOptional(members['scaleup'], decodeRules),
      scaleDown: decodeOptional(members['scaledown'], decodeRules),
    })
    return Object.keys(behavior).length === 0 ? undefined : behavior
  } catch {
    return undefined
  }
}

function decodeRules(value: unknown): HPAScalingRules {
  const members = decodeObject(value)
  return withoutUndefined<HPAScalingRules>({
    stabilizationWindowSeconds: decodeOptional(members['stabilizationwindowseconds'], decodeInteger),
    selectPolicy: decodeOptional(members['selectpolicy'], decodeString),
    policies: decodeOptional(members['policies'], (list) => decodeArray(list).map(decodePolicy)),
    tolerance: decodeOptional(members['tolerance'], (quantity) =>
      canonicalizeQuantity(typeof quantity === 'number' ? String(quantity) : decodeString(quantity)),
    ),
  })
}

function decodePolicy(value: unknown): HPAScalingPolicy {
  const { type = '', value: count = 0, periodseconds = 0 } = decodeObject(value)
  return { type: decodeString(type), value: decodeInteger(count), periodSeconds: decodeInteger(periodseconds) }
}

function decodeOptional<T>(value: unknown, decode: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : decode(value)
}

function withoutUndefined<T extends object>(members: { readonly [M in keyof T]?: T[M] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T
}

/** Returns the members with keys in lower case, because Go ignores the case of field names. */
function decodeObject(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object')
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member as unknown]))
}

function decodeArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not a list')
  return value
}

function decodeString(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a string')
  return value
}

function decodeInteger(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new TypeError('not an integer')
  return value
}
