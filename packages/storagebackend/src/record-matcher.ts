import { LabelsSelector } from '@keelson/apimachinery'
import type { FieldSelector, LabelRequirement } from '@keelson/apimachinery'
import { labelsAt, readLength, noLabels } from './record-format.ts'
import type { Predicate } from './storage.ts'

/**
 * Returns a function that tests stored records by their headers. The result is the same as that of `createMatcher` for decoded objects. Lists
 * that select few objects of a large collection are fast, because records are not decoded, and records with the same labels are tested
 * once.
 */
export function createRecordMatcher(
  { labels, fields }: Predicate,
  fieldNames: readonly string[],
): (record: Uint8Array, labelSet: LabelSet) => boolean {
  const matchesLabels = labels.empty ? undefined : createLabelsMatcher(labels)
  if (fields.large) return createFieldsMatcher(fields, fieldNames, matchesLabels)
  const fieldTests = fields.requirements.map(({ field, operator, value }) => ({
    index: fieldNames.indexOf(field),
    isEquality: operator === '=',
    value: Buffer.from(value),
  }))
  // The header lacks this field, because the kind has no such selectable field. Its value counts as empty.
  if (fieldTests.some((test) => test.index < 0 && (test.value.length === 0) !== test.isEquality)) return () => false
  const presentFieldTests = fieldTests.filter((test) => test.index >= 0)
  const lastIndex = Math.max(-1, ...presentFieldTests.map((test) => test.index))

  return (record, labelSet) => {
    if (matchesLabels !== undefined && !testLabelSet(matchesLabels, labelSet)) return false
    let offset = labelsAt + labelSet.bytes.length + 2
    for (let field = 0; field <= lastIndex; field++) {
      for (const test of presentFieldTests) if (test.index === field && isText(record, offset, test.value) !== test.isEquality) return false
      offset += 2 + readLength(record, offset)
    }
    return true
  }
}

type LabelsMatcher = (bytes: Uint8Array) => boolean

function testLabelSet(matchesLabels: LabelsMatcher, labelSet: LabelSet): boolean {
  if (labelSet.lastSelector !== matchesLabels) {
    labelSet.lastSelector = matchesLabels
    labelSet.lastResult = matchesLabels(labelSet.bytes)
  }
  return labelSet.lastResult
}

function createFieldsMatcher(
  fields: FieldSelector,
  fieldNames: readonly string[],
  matchesLabels: LabelsMatcher | undefined,
): (record: Uint8Array, labelSet: LabelSet) => boolean {
  const indexes = new Map(fieldNames.map((name, index) => [name, index]))
  return (record, labelSet) => {
    if (matchesLabels !== undefined && !testLabelSet(matchesLabels, labelSet)) return false
    const first = labelsAt + labelSet.bytes.length + 2
    return fields.matches((name) => {
      const index = indexes.get(name)
      if (index === undefined) return ''
      let offset = first
      for (let field = 0; field < index; field++) offset += 2 + readLength(record, offset)
      return readText(record, offset)
    })
  }
}

/** Returns a function that tests the labels in a record's header. */
function createLabelsMatcher(labels: LabelsSelector): LabelsMatcher {
  if (labels.selectsNothing) return () => false
  if (labels.large) return (bytes) => labels.matches(readLabels(bytes))
  const tests = labels.requirements.map(createLabelTest)
  return (bytes) => tests.every(({ key, holds }) => holds(bytes, readValue(bytes, key)))
}

function readLabels(bytes: Uint8Array): Record<string, string> {
  const labels: Record<string, string> = {}
  const count = readLength(bytes, 0)
  let offset = 2
  for (let label = count === noLabels ? 0 : count; label > 0; label--) {
    const value = offset + 2 + readLength(bytes, offset)
    labels[readText(bytes, offset)] = readText(bytes, value)
    offset = value + 2 + readLength(bytes, value)
  }
  return labels
}

/** Returns the position of a label's value in the encoded labels. The value starts with its length. Returns 0 if the label is absent. */
function readValue(labels: Uint8Array, key: Uint8Array): number {
  const count = readLength(labels, 0)
  let offset = 2
  for (let label = count === noLabels ? 0 : count; label > 0; label--) {
    const value = offset + 2 + readLength(labels, offset)
    if (isText(labels, offset, key)) return value
    offset = value + 2 + readLength(labels, value)
  }
  return 0
}

interface LabelTest {
  readonly key: Buffer
  /** Returns whether the label value at `offset` satisfies the requirement. `at` is a result of `readValue`, so it is 0 for an absent label. */
  readonly holds: (record: Uint8Array, offset: number) => boolean
}

function createLabelTest(requirement: LabelRequirement): LabelTest {
  const key = Buffer.from(requirement.key)
  const values = requirement.values.map((value) => Buffer.from(value))
  const isOneOf = (record: Uint8Array, offset: number): boolean => {
    for (const value of values) if (isText(record, offset, value)) return true
    return false
  }
  switch (requirement.operator) {
    case '=':
    case '==':
    case 'in':
      return { key, holds: (record, offset) => offset > 0 && isOneOf(record, offset) }
    case '!=':
    case 'notin':
      return { key, holds: (record, offset) => offset === 0 || !isOneOf(record, offset) }
    case 'exists':
      return { key, holds: (_record, offset) => offset > 0 }
    case '!':
      return { key, holds: (_record, offset) => offset === 0 }
    case 'gt':
    case 'lt': {
      const selector = new LabelsSelector([requirement])
      return { key, holds: (record, offset) => offset > 0 && selector.matches({ [requirement.key]: readText(record, offset) }) }
    }
  }
}

/** Returns true if the string at `offset` equals `text`. The string starts with its length. */
function isText(record: Uint8Array, offset: number, text: Uint8Array): boolean {
  const { length } = text
  if (readLength(record, offset) !== length) return false
  for (let i = 0; i < length; i++) if (record[offset + 2 + i] !== text[i]) return false
  return true
}

function readText(record: Uint8Array, offset: number): string {
  const length = readLength(record, offset)
  return Buffer.from(record.buffer, record.byteOffset + offset + 2, length).toString()
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
