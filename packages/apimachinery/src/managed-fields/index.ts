export {
  subtractSet,
  equalsSet,
  createFieldSet,
  hasPath,
  intersectSets,
  isEmptySet,
  leaves,
  normalizeFieldSet,
  listPaths,
  subtractRecursively,
  setOfPaths,
  union,
  withoutFields,
} from './field-set.ts'
export type { FieldFilter, FieldSet } from './field-set.ts'
export { FieldManager } from './field-manager.ts'
export type { FieldManagerOptions } from './field-manager.ts'
export { decodeManaged } from './managed.ts'
export { getMergeType, mergeTypes } from './merge-type.ts'
export type { MergeAny, MergeField, MergeList, MergeMap, MergeType } from './merge-type.ts'
export { updateScaleManagers, getScaleManagers } from './scale-managers.ts'
export type { ReplicasPaths } from './scale-managers.ts'
export {
  compareElements,
  createFieldElement,
  createKeyElement,
  parseElement,
  formatPath,
  sortMembers,
  createValueElement,
} from './path-element.ts'
export type { ParsedElement, PathElement } from './path-element.ts'
export { applyConfiguration } from './apply-configuration.ts'
export { GoValue } from './go-value.ts'
export { formatKind } from './versioned-kind.ts'
export type { KindSchema, VersionedKind } from './versioned-kind.ts'
