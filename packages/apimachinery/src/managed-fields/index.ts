export { withoutFields } from './field-filter.ts'
export type { FieldFilter } from './field-filter.ts'
export { FieldManager } from './field-manager.ts'
export type { FieldManagerOptions } from './field-manager.ts'
export {
  difference,
  equalSets,
  fieldsAt,
  hasPath,
  intersection,
  isEmptySet,
  leaves,
  normalizeFieldSet,
  pathsOf,
  recursiveDifference,
  setOfPaths,
  union,
} from './field-set.ts'
export type { FieldSet } from './field-set.ts'
export { decodeManaged } from './managed.ts'
export { managersAfterScale, managersOfScale } from './scale-managers.ts'
export type { ReplicasPaths } from './scale-managers.ts'
export { compareElements, fieldElement, keyElement, parseElement, showPath, valueElement } from './path-element.ts'
export type { ParsedElement, PathElement } from './path-element.ts'
export type { VersionedKind } from './versioned-kind.ts'
