import { mergePatchTypes } from '@keelson/registry'
import type { Exchange } from '@keelson/exchange'

/** Server-side apply, which also creates absent objects. */
const applyPatchType = 'application/apply-patch+yaml'
export const cborApplyPatchType = 'application/apply-patch+cbor'

/** The patch types that every server accepts. */
export const usualPatchTypes: readonly string[] = [...mergePatchTypes, applyPatchType]
const patchTypesWithCbor: readonly string[] = [...usualPatchTypes, cborApplyPatchType]

const strategicPatchType = 'application/strategic-merge-patch+json'

/** The patch types that the server accepts. */
export function patchTypes({ services, route }: Exchange): readonly string[] {
  const types = services.cbor === undefined ? usualPatchTypes : patchTypesWithCbor
  return route?.isJsonOnly === true ? withoutStrategic(types) : types
}

/** For kinds that are JSON only: without a Go type there is no strategy to merge by. */
export function withoutStrategic(types: readonly string[]): readonly string[] {
  return types.filter((type) => type !== strategicPatchType)
}

export function isApply(patchType: string): boolean {
  return patchType === applyPatchType || patchType === cborApplyPatchType
}
