import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from '@keelson/api/core/v1'
import { fieldError, validateLabelName } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'

type Term = DeepReadonly<TopologySelectorTerm>
type Requirement = DeepReadonly<TopologySelectorLabelRequirement>

export function validateAllowedTopologies(terms: readonly Term[], path: FieldPath): FieldErrorList {
  // Upstream starts with an empty term for each given term, so it reports an empty term that often.
  const seen = new Map([[canonicalizeTerm({}), terms.length]])
  return terms.flatMap((term, i) => {
    const at = path.index(i).child('matchLabelExpressions')
    const canonical = canonicalizeTerm(term)
    const count = seen.get(canonical) ?? 0
    seen.set(canonical, count + 1)
    const duplicates = Array.from({ length: count }, () => fieldError.duplicate(at, ''))
    return [...validateTerm(term, at), ...duplicates]
  })
}

function validateTerm({ matchLabelExpressions = [] }: Term, path: FieldPath): FieldErrorList {
  const keys = new Set<string>()
  return matchLabelExpressions.flatMap((requirement, i) => {
    const { key } = requirement
    const isRepeated = keys.has(key)
    keys.add(key)
    const at = path.index(i)
    return [...validateRequirement(requirement, at), ...(isRepeated ? [fieldError.duplicate(at.child('key'), key)] : [])]
  })
}

function validateRequirement(requirement: Requirement, path: FieldPath): FieldErrorList {
  const { key } = requirement
  const values = requirement.values ?? []
  const valuesPath = path.child('values')
  return [
    ...(values.length === 0 ? [fieldError.required(valuesPath)] : []),
    ...validateUniqueValues(values, valuesPath),
    ...validateLabelName(key, path.child('key')),
  ]
}

function validateUniqueValues(values: readonly string[], path: FieldPath): FieldErrorList {
  const visited = new Set<string>()
  return values.flatMap((value, i) => {
    const isRepeated = visited.has(value)
    visited.add(value)
    return isRepeated ? [fieldError.duplicate(path.index(i), value)] : []
  })
}

/** Returns a key that is equal for equivalent terms. The last requirement of a label key counts. The order of values has no effect. */
function canonicalizeTerm({ matchLabelExpressions = [] }: Term): string {
  const byKey = new Map(matchLabelExpressions.map(({ key, values }) => [key, [...new Set(values)].toSorted()]))
  return JSON.stringify([...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
