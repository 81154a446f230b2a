import { newBadRequest } from './api-errors.ts'
import { FoldedTest } from './folded-requirements.ts'

export interface FieldRequirement {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/** Renames the field or changes the value of a requirement. Returns undefined to drop the requirement. Throws to reject it. */
export type FieldTransform = (field: string, value: string) => { readonly field: string; readonly value: string } | undefined

/** Maximum number of requirements that are tested one by one. For more requirements, a combined test (`foldRequirements`) is faster. */
const maxLinearRequirements = 8

/** A field selector: a conjunction of requirements. Immutable. */
export class FieldSelector {
  readonly requirements: readonly FieldRequirement[]
  #folded: ReadonlyMap<string, FoldedTest> | undefined

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements
  }

  get empty(): boolean {
    return this.requirements.length === 0
  }

  /** True if the selector has so many requirements that callers should use `matches` instead of testing each requirement. */
  get large(): boolean {
    return this.requirements.length > maxLinearRequirements
  }

  /** Returns whether an object matches the selector. `field` returns the value of a field of the object; "" if it is unset. */
  matches(field: (name: string) => string): boolean {
    if (this.large) {
      const tests = this.#folded ?? foldRequirements(this.requirements)
      this.#folded = tests
      for (const [name, test] of tests) if (!test.holds(field(name))) return false
      return true
    }
    for (const r of this.requirements) if ((field(r.field) === r.value) !== (r.operator === '=')) return false
    return true
  }

  /** Returns the only value of the field that the selector allows; undefined if it allows several. */
  requiresExactMatch(name: string): string | undefined {
    return this.requirements.find((r) => r.field === name && r.operator === '=')?.value
  }

  transform(transform: FieldTransform): FieldSelector {
    const requirements: FieldRequirement[] = []
    for (const { field, operator, value } of this.requirements) {
      const changed = transform(field, value)
      if (changed !== undefined && (changed.field !== '' || changed.value !== '')) requirements.push({ ...changed, operator })
    }
    return new FieldSelector(requirements)
  }

  and(...requirements: FieldRequirement[]): FieldSelector {
    return new FieldSelector([...this.requirements, ...requirements])
  }

  toString(): string {
    return this.requirements.map((r) => r.field + r.operator + escapeFieldValue(r.value)).join(',')
  }
}

function foldRequirements(requirements: readonly FieldRequirement[]): ReadonlyMap<string, FoldedTest> {
  const tests = new Map<string, FoldedTest>()
  for (const { field, operator, value } of requirements) {
    let test = tests.get(field)
    if (test === undefined) tests.set(field, (test = new FoldedTest()))
    if (operator === '=') test.allowOnly([value])
    else test.deny([value])
  }
  return tests
}

const everyField = new FieldSelector([])

export function selectEveryField(): FieldSelector {
  return everyField
}

export function selectField(field: string, value: string): FieldSelector {
  return new FieldSelector([{ field, operator: '=', value }])
}

/** Parses the query parameter `fieldSelector`, such as `a=b,c!=d`. In values, `\` escapes `\`, `,` and `=`. Throws BadRequest. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = []
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue
    const match = /!=|==|=/.exec(term)
    if (match === null) throw newBadRequest(`invalid selector: '${text}'; can't understand '${term}'`)
    requirements.push({
      field: term.slice(0, match.index),
      operator: match[0] === '!=' ? '!=' : '=',
      value: unescapeFieldValue(term.slice(match.index + match[0].length)),
    })
  }
  return requirements.length === 0 ? everyField : new FieldSelector(requirements)
}

export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&')
}

function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === ',') {
      terms.push(text.slice(start, i))
      start = i + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

function unescapeFieldValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text
  let value = ''
  const chars = text[Symbol.iterator]()
  for (let next = chars.next(); !next.done; next = chars.next()) {
    const char = next.value
    if (char === '\\') {
      const escaped = chars.next().value
      if (escaped === undefined || !'\\,='.includes(escaped)) {
        throw newBadRequest(`invalid field selector: invalid escape sequence: \\${escaped ?? ''}`)
      }
      value += escaped
    } else if (char === ',' || char === '=') {
      // kube-apiserver prints the code point of the character as a number.
      throw newBadRequest(`invalid field selector: unescaped character in value: ${char.codePointAt(0)}`)
    } else {
      value += char
    }
  }
  return value
}
