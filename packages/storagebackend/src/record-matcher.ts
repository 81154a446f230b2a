import { LabelsSelector } from '@keelson/apimachinery'
import type { FieldSelector, LabelRequirement } from '@keelson/apimachinery'
import { labelsAt, lengthAt, noLabels } from './record-format.ts'
import type { Predicate } from './storage.ts'

/**
 * Returns a function that tests stored records by their headers. The result is the same as that of `matcher` for decoded objects. Lists
 * that select few objects of a large collection are fast, because records are not decoded, and records with the same labels are tested
 * once.
 */
export function createRecordMatcher(
  { labels, fields }: Predicate,
  fieldNames: readonly string[],
): (record: Uint8Array, labelSet: LabelSet) => boolean {
  const hasLabels = labels.empty ? undefined : createLabelsMatcher(labels)
  if (fields.large) return createFieldsMatcher(fields, fieldNames, hasLabels)
  const fieldTests = fields.requirements.map(({ field, operator, value }) => ({
    at: fieldNames.indexOf(field),
    wanted: operator === '=',
    value: Buffer.from(value),
  }))
  // The header lacks this field, because the kind has no such selectable field. Its value counts as empty.
  if (fieldTests.some((test) => test.at < 0 && (test.value.length === 0) !== test.wanted)) return () => false
  const indexed = fieldTests.filter((test) => test.at >= 0)
  const last = Math.max(-1, ...indexed.map((test) => test.at))

  return (record, labelSet) => {
    if (hasLabels !== undefined && !matchLabels(hasLabels, labelSet)) return false
    let at = labelsAt + labelSet.bytes.length + 2
    for (let field = 0; field <= last; field++) {
      for (const test of indexed) if (test.at === field && isText(record, at, test.value) !== test.wanted) return false
      at += 2 + lengthAt(record, at)
    }
    return true
  }
}

type HasLabels = (bytes: Uint8Array) => boolean

function matchLabels(hasLabels: HasLabels, labelSet: LabelSet): boolean {
  if (labelSet.lastSelector !== hasLabels) {
    labelSet.lastSelector = hasLabels
    labelSet.lastResult = hasLabels(labelSet.bytes)
  }
  return labelSet.lastResult
}

function createFieldsMatcher(
  fields: FieldSelector,
  fieldNames: readonly string[],
  hasLabels: HasLabels | undefined,
): (record: Uint8Array, labelSet: LabelSet) => boolean {
  const indexes = new Map(fieldNames.map((name, index) => [name, index]))
  return (record, labelSet) => {
    if (hasLabels !== undefined && !matchLabels(hasLabels, labelSet)) return false
    const first = labelsAt + labelSet.bytes.length + 2
    return fields.matches((name) => {
      const index = indexes.get(name)
      if (index === undefined) return ''
      let at = first
      for (let field = 0; field < index; field++) at += 2 + lengthAt(record, at)
      return readText(record, at)
    })
  }
}

/** Returns a function that tests the labels in a record's header. */
function createLabelsMatcher(labels: LabelsSelector): HasLabels {
  if (labels.selectsNothing) return () => false
  if (labels.large) return (bytes) => labels.matches(readLabels(bytes))
  const tests = labels.requirements.map(createLabelTest)
  return (bytes) => tests.every(({ key, holds }) => holds(bytes, readValue(bytes, key)))
}

function readLabels(bytes: Uint8Array): Record<string, string> {
  const labels: Record<string, string> = {}
  const count = lengthAt(bytes, 0)
  let at = 2
  for (let label = count === noLabels ? 0 : count; label > 0; label--) {
    const value = at + 2 + lengthAt(bytes, at)
    labels[readText(bytes, at)] = readText(bytes, value)
    at = value + 2 + lengthAt(bytes, value)
  }
  return labels
}

/** Returns the position of a label's value in the encoded labels. The value starts with its length. Returns 0 if the label is absent. */
function readValue(labels: Uint8Array, key: Uint8Array): number {
  const count = lengthAt(labels, 0)
  let at = 2
  for (let label = count === noLabels ? 0 : count; label > 0; label--) {
    const value = at + 2 + lengthAt(labels, at)
    if (isText(labels, at, key)) return value
    at = value + 2 + lengthAt(labels, value)
  }
  return 0
}

interface LabelTest {
  readonly key: Buffer
  /** Returns whether the label value at `at` satisfies the requirement. `at` is a result of `valueOf`, so it is 0 for an absent label. */
  readonly holds: (record: Uint8Array, at: number) => boolean
}

function createLabelTest(requirement: LabelRequirement): LabelTest {
  const key = Buffer.from(requirement.key)
  const values = requirement.values.map((value) => Buffer.from(value))
  const isOneOf = (record: Uint8Array, at: number): boolean => {
    for (const value of values) if (isText(record, at, value)) return true
    return false
  }
  switch (requirement.operator) {
    case '=':
    case '==':
    case 'in':
      return { key, holds: (record, at) => at > 0 && isOneOf(record, at) }
    case '!=':
    case 'notin':
      return { key, holds: (record, at) => at === 0 || !isOneOf(record, at) }
    case 'exists':
      return { key, holds: (_record, at) => at > 0 }
    case '!':
      return { key, holds: (_record, at) => at === 0 }
    case 'gt':
    case 'lt': {
      const selector = new LabelsSelector([requirement])
      return { key, holds: (record, at) => at > 0 && selector.matches({ [requirement.key]: readText(record, at) }) }
    }
  }
}

/** Returns true if the string at `at` equals `text`. The string starts with its length. */
function isText(record: Uint8Array, at: number, text: Uint8Array): boolean {
  const { length } = text
  if (lengthAt(record, at) !== length) return false
  for (let i = 0; i < length; i++) if (record[at + 2 + i] !== text[i]) return false
  return true
}

function readText(record: Uint8Array, at: number): string {
  const length = lengthAt(record, at)
  return Buffer.from(record.buffer, record.byteOffset + at + 2, length).toString()
}

/** A set of labels, encoded as in a record's header. All records with equal labels share one `LabelSet`. */
export interface LabelSet {
  /** The encoded labels: their number, then key and value of each. See `record-format.ts`. */
  readonly bytes: Uint8Array
  /** The last selector that was tested, with its result. A list tests every record with the same selector, so the result can be reused. */
  lastSelector: object | undefined
  lastResult: boolean
  /** The table to which the label set belongs. */
  readonly table: LabelSets
}

/** The maximum number of label sets in the table. A full table is cleared. Records keep the sets that they already have. */
const limit = 1 << 16

/** A table of label sets. It returns the same `LabelSet` for the same bytes. */
export class LabelSets {
  readonly #sets = new Map<number, LabelSet>()

  /** Returns the label set for these bytes. A new label set contains a copy of them. */
  of(bytes: Uint8Array): LabelSet {
    const hash = computeHash(bytes)
    const existing = this.#sets.get(hash)
    if (existing !== undefined && isSame(existing.bytes, bytes)) return existing
    const created: LabelSet = { bytes: Uint8Array.prototype.slice.call(bytes), lastSelector: undefined, lastResult: false, table: this }
    if (this.#sets.size >= limit) this.#sets.clear()
    this.#sets.set(hash, created)
    return created
  }
}

/** Computes the FNV-1a hash of bytes. */
function computeHash(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return hash
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
