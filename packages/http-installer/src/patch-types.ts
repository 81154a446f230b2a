import type { InstallerContext } from './context.ts'

/** Patches that are made of a current object. */
export const mergePatchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
] as const
export type MergePatchType = (typeof mergePatchTypes)[number]

/** Server-side apply, which also creates what is absent. */
const applyPatchType = 'application/apply-patch+yaml'
export const cborApplyPatchType = 'application/apply-patch+cbor'

/** The patches that every server takes. */
export const usualPatchTypes: readonly string[] = [...mergePatchTypes, applyPatchType]
const patchTypesWithCbor: readonly string[] = [...usualPatchTypes, cborApplyPatchType]

/** The patches that are taken. */
export function patchTypes(c: InstallerContext): readonly string[] {
  return c.env?.cbor === undefined ? usualPatchTypes : patchTypesWithCbor
}

export function isYaml(patchType: string): boolean {
  return patchType === applyPatchType
}

export function isApply(patchType: string): boolean {
  return patchType === applyPatchType || patchType === cborApplyPatchType
}
