import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from '@keelson/api/core/v1'
import { fieldError, validateLabelName } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList, FieldPath } from '@keelson/apimachinery'

type Term = DeepReadonly<TopologySelectorTerm>
type Requirement = DeepReadonly<TopologySelectorLabelRequirement>

export function validateAllowedTopologies(terms: readonly Term[], path: FieldPath): FieldErrorList {
  // The original begins with as many empty terms as there are given, so that an empty one is reported that often.
  const seen = new Map([[canonicalTerm({}), terms.length]])
  return terms.flatMap((term, i) => {
    const at = path.index(i).child('matchLabelExpressions')
    const canonical = canonicalTerm(term)
    const same = seen.get(canonical) ?? 0
    seen.set(canonical, same + 1)
    const duplicates = Array.from({ length: same }, () => fieldError.duplicate(at, ''))
    return [...validateTerm(term, at), ...duplicates]
  })
}

function validateTerm({ matchLabelExpressions = [] }: Term, path: FieldPath): FieldErrorList {
  const keys = new Set<string>()
  return matchLabelExpressions.flatMap((requirement, i) => {
    const { key } = requirement
    const repeated = keys.has(key)
    keys.add(key)
    const at = path.index(i)
    return [...validateRequirement(requirement, at), ...(repeated ? [fieldError.duplicate(at.child('key'), key)] : [])]
  })
}

function validateRequirement(requirement: Requirement, path: FieldPath): FieldErrorList {
  const { key } = requirement
  const values = requirement.values ?? []
  const valuesPath = path.child('values')
  return [
    ...(values.length === 0 ? [fieldError.required(valuesPath)] : []),
    ...repeatedValues(values, valuesPath),
    ...validateLabelName(key, path.child('key')),
  ]
}

function repeatedValues(values: readonly string[], path: FieldPath): FieldErrorList {
  const seen = new Set<string>()
  return values.flatMap((value, i) => {
    const repeated = seen.has(value)
    seen.add(value)
    return repeated ? [fieldError.duplicate(path.index(i), value)] : []
  })
}

/** Equal for terms that select the same: the last requirement of a key, its values as a set. */
function canonicalTerm({ matchLabelExpressions = [] }: Term): string {
  const byKey = new Map(matchLabelExpressions.map(({ key, values }) => [key, [...new Set(values)].toSorted()]))
  return JSON.stringify([...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
