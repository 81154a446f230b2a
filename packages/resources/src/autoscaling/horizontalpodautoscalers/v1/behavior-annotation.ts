import type { HorizontalPodAutoscalerBehavior, HPAScalingPolicy, HPAScalingRules } from '@keelson/api/autoscaling/v2'
import { canonicalQuantity, stringifyJson } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import { internalForm } from '@keelson/resources-core'

type Members = Readonly<Record<string, unknown>>

/** The annotation holds the original's internal type, by the names of its members. */
export function encodeBehavior(behavior: DeepReadonly<HorizontalPodAutoscalerBehavior>): string {
  return stringifyJson(internalForm('HorizontalPodAutoscalerBehavior', behavior))
}

/** undefined for what is no behavior, or says nothing: it is passed over. */
export function decodeBehavior(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  if (text === undefined) return undefined
  try {
    const members = membersOf(JSON.parse(text))
    const behavior = present<HorizontalPodAutoscalerBehavior>({
      scaleUp: optional(members['scaleup'], decodeRules),
      scaleDown: optional(members['scaledown'], decodeRules),
    })
    return Object.keys(behavior).length === 0 ? undefined : behavior
  } catch {
    return undefined
  }
}

function decodeRules(value: unknown): HPAScalingRules {
  const members = membersOf(value)
  return present<HPAScalingRules>({
    stabilizationWindowSeconds: optional(members['stabilizationwindowseconds'], toNumber),
    selectPolicy: optional(members['selectpolicy'], toText),
    policies: optional(members['policies'], (list) => toList(list).map(decodePolicy)),
    tolerance: optional(members['tolerance'], (quantity) =>
      canonicalQuantity(typeof quantity === 'number' ? String(quantity) : toText(quantity)),
    ),
  })
}

function decodePolicy(value: unknown): HPAScalingPolicy {
  const { type = '', value: count = 0, periodseconds = 0 } = membersOf(value)
  return { type: toText(type), value: toNumber(count), periodSeconds: toNumber(periodseconds) }
}

function optional<T>(value: unknown, decode: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : decode(value)
}

function present<T extends object>(members: { readonly [M in keyof T]?: T[M] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T
}

/** By name in small letters: the original does not tell them by case. */
function membersOf(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not an object')
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toLowerCase(), member as unknown]))
}

function toList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('not a list')
  return value
}

function toText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a text')
  return value
}

function toNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value)) throw new TypeError('not a whole number')
  return value
}
