import { collectFieldErrors, newFieldPath, equalsSemantically } from '@keelson/apimachinery'
import type { FieldErrorList, Task } from '@keelson/apimachinery'
import type { ValidationSteps } from '@keelson/registry'
import { findUnprunedDefault } from '../schema/validate-defaults.ts'
import { isConditionTrue } from './conditions.ts'
import { findVersionSchema, hasSameSchema, listSchemas } from './hub-spec.ts'
import type { Definition, HubSpec, Schema } from './hub-spec.ts'
import { readSpecFacts } from './spec-facts.ts'
import type { SpecFacts } from './spec-facts.ts'
import { findUnsupportedMember, validateStructural } from './structural.ts'
import { runTask } from './tasks.ts'
import { findCABundleProblem, hasKnownReviewVersion } from './validate-conversion.ts'
import type { ConversionRules } from './validate-conversion.ts'
import type { SchemaRules } from './validate-schema.ts'
import { maxSelectableFields } from './validate-version-parts.ts'

/**
 * The rules for a definition. An update may keep what an older server accepted, so the rules that the stored definition violates are off for
 * updates.
 */
export interface DefinitionRules extends SchemaRules, ConversionRules {
  /** Whether the scope and the kind must not change, because the definition is established. */
  readonly requiresSameNames: boolean
  /** Whether every version needs a schema. */
  readonly requiresSchemas: boolean
  readonly requiresStructuralSchemas: boolean
  /** Whether defaults must not have fields that the schema does not specify. */
  readonly requiresPruned: boolean
  /** Versions whose schemas have not changed. Their rules have no cost limit for each expression. */
  readonly unchangedVersions: ReadonlySet<string>
  /** Expressions of the stored definition, which compile with all functions of later releases. */
  readonly stored: Pick<SpecFacts, 'rules' | 'messageExpressions'>
  /** Versions whose selectable fields may exceed the limit. "" stands for the shared selectable fields. */
  readonly versionsWithTooManyFields: ReadonlySet<string>
}

/** The rules for new definitions. */
export const newDefinitionRules: DefinitionRules = {
  requiresKnownReviewVersion: true,
  requiresSameNames: false,
  requiresSchemas: true,
  requiresKnownTypes: true,
  requiresStructuralSchemas: true,
  requiresPruned: true,
  requiresAtomicItems: true,
  requiresKeyPresence: true,
  stored: { rules: new Set(), messageExpressions: new Set() },
  unchangedVersions: new Set(),
  // The webhook of a definition may be configured before its certificate exists.
  allowsInvalidCABundle: true,
  versionsWithTooManyFields: new Set(),
}

/** Returns the rules for an update. Returns undefined if the time of this turn is used up. */
export function selectUpdateRules(
  [old, oldSpec]: readonly [Definition, HubSpec],
  newSpec: HubSpec,
  steps: ValidationSteps | undefined,
): DefinitionRules | undefined {
  const schemas = listSchemas(oldSpec)
  const facts = runTask(steps, () => readSpecFacts(schemas))
  const structure = facts && runTask(steps, () => checkStructures(schemas))
  const pruning = structure && runTask(steps, () => findUnpruned(structure.isStructural ? schemas : []))
  if (facts === undefined || structure === undefined || pruning === undefined) return undefined
  const isEstablished = isConditionTrue(old, 'Established')
  const { conversion } = old.spec
  const reviewVersions = conversion?.webhook?.conversionReviewVersions ?? []
  const caBundle = conversion?.webhook?.clientConfig?.caBundle ?? ''
  return {
    requiresKnownReviewVersion: reviewVersions.length === 0 || hasKnownReviewVersion(reviewVersions),
    requiresSameNames: isEstablished,
    requiresSchemas: (old.spec.versions ?? []).every(({ schema }) => schema?.openAPIV3Schema !== undefined),
    requiresKnownTypes: !facts.hasUnknownTypes,
    requiresStructuralSchemas: structure.isStructural,
    requiresPruned: !pruning.isUnpruned,
    requiresAtomicItems: !facts.hasNonAtomicSets,
    requiresKeyPresence: !facts.hasAbsentKeys,
    stored: facts,
    unchangedVersions: findUnchangedVersions(newSpec, oldSpec),
    allowsInvalidCABundle: !isEstablished || (caBundle !== '' && findCABundleProblem(caBundle) !== undefined),
    versionsWithTooManyFields: findVersionsWithTooManyFields(newSpec, oldSpec),
  }
}

function* checkStructures(schemas: readonly Schema[]): Task<{ readonly isStructural: boolean }> {
  for (const schema of schemas) {
    const { problem } = yield* findUnsupportedMember(schema)
    if (problem !== undefined) return { isStructural: false }
    const errors = validateStructural(newFieldPath(), schema)
    for (;;) {
      // These errors are not reported, so they must not count for the limit of the running validation.
      let result: IteratorResult<undefined, FieldErrorList> | undefined
      const violations = collectFieldErrors(() => {
        result = errors.next()
        return result.done === true ? result.value : []
      })
      if (violations.length > 0) return { isStructural: false }
      if (result?.done === true) break
      yield
    }
  }
  return { isStructural: true }
}

function* findUnpruned(schemas: readonly Schema[]): Task<{ readonly isUnpruned: boolean }> {
  for (const schema of schemas) {
    const result = yield* findUnprunedDefault(schema)
    if (result.isUnpruned) return result
  }
  return { isUnpruned: false }
}

function findUnchangedVersions(newSpec: HubSpec, oldSpec: HubSpec): Set<string> {
  const names = newSpec.versions.map(({ version }) => version.name)
  return new Set(names.filter((name) => hasSameSchema(findVersionSchema(newSpec, name), findVersionSchema(oldSpec, name))))
}

function findVersionsWithTooManyFields(newSpec: HubSpec, oldSpec: HubSpec): Set<string> {
  const names = new Set<string>()
  const check = (name: string, fields: HubSpec['shared'], old: HubSpec['shared'] | undefined): void => {
    const stored = old?.selectableFields ?? []
    if (stored.length > maxSelectableFields && equalsSemantically(fields.selectableFields, stored)) names.add(name)
  }
  check('', newSpec.shared, oldSpec.shared)
  for (const { version, own } of newSpec.versions) {
    check(version.name, own, oldSpec.versions.findLast((old) => old.version.name === version.name)?.own)
  }
  return names
}
