import { estimateCost } from '../cost/estimate-cost.ts'
import { formatResultType } from '../types/type.ts'
import { compileFor } from './compile-for.ts'
import type { Compilation } from './compile-for.ts'
import { deviceEnvironment, getDeviceSize } from './device-environment.ts'

const maxCost = 1_000_000n

/** Compiles a device selector. The result type may be unknown, because a selector can return an attribute. */
export function compileDeviceSelector(text: string): Compilation {
  return compileFor(text, deviceEnvironment, ({ type }) =>
    type.kind === 'bool' || type.kind === 'any' ? undefined : `must evaluate to bool or the unknown type, not ${formatResultType(type)}`,
  )
}

/** Returns whether the estimated cost of a device selector exceeds its limit. */
export function isTooComplex({ compiled }: Compilation): boolean {
  return compiled !== undefined && estimateCost(compiled, getDeviceSize).max > maxCost
}
