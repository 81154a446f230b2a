import { mergePatchTypes } from '@keelson/registry'
import type { Exchange } from '@keelson/exchange'

/** Server-side apply, which also creates absent objects. */
const applyPatchType = 'application/apply-patch+yaml'
export const cborApplyPatchType = 'application/apply-patch+cbor'

/** The patches that every server takes. */
export const usualPatchTypes: readonly string[] = [...mergePatchTypes, applyPatchType]
const patchTypesWithCbor: readonly string[] = [...usualPatchTypes, cborApplyPatchType]

/** The patches that are taken. */
export function patchTypes(exchange: Exchange): readonly string[] {
  return exchange.services.cbor === undefined ? usualPatchTypes : patchTypesWithCbor
}

export function isApply(patchType: string): boolean {
  return patchType === applyPatchType || patchType === cborApplyPatchType
}
