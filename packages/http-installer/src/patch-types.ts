import { mergePatchTypes } from '@keelson/registry'
import type { InstallerContext } from './context.ts'

/** Server-side apply, which also creates absent objects. */
const applyPatchType = 'application/apply-patch+yaml'
export const cborApplyPatchType = 'application/apply-patch+cbor'

/** The patches that every server takes. */
export const usualPatchTypes: readonly string[] = [...mergePatchTypes, applyPatchType]
const patchTypesWithCbor: readonly string[] = [...usualPatchTypes, cborApplyPatchType]

/** The patches that are taken. */
export function patchTypes(c: InstallerContext): readonly string[] {
  return c.env?.cbor === undefined ? usualPatchTypes : patchTypesWithCbor
}

export function isApply(patchType: string): boolean {
  return patchType === applyPatchType || patchType === cborApplyPatchType
}
