import { StorageError } from './errors.ts'

/**
 * The encoding of records, which the embedded drivers store. All integers are big-endian.
 *
 *     offset  size  contents
 *     0       1     format version (1)
 *     1       4     schema version of the kind's types, defaults and selectable fields
 *     5       4     checksum of the names of the selectable fields, in order; for custom resources also of the object's version
 *     9       4     start of the body
 *     13      4     position of `resourceVersion` in the body
 *     17      2     number of labels; 0xffff if the object has no map of labels
 *     19            per label: length (2) and UTF-8 of the key, then of the value
 *             2     number of selectable fields
 *                   per field: length (2) and UTF-8 of the value, in the codec's order; for custom resources the first is the version
 *                   the body: JSON without kind, apiVersion and metadata.resourceVersion
 */
export const recordFormat = 1
export const headerBytes = 19
/** The position of the number of labels in a record. The labels follow that number. */
export const labelsAt = 17
export const noLabels = 0xffff
const maxString = 0xffff
/** The maximum number of labels. The next number, `noLabels`, marks an object without a map of labels. */
const maxLabels = 0xfffe

/** The contents of a record, before encoding. */
export interface RecordContents {
  readonly schemaVersion: number
  readonly fieldsChecksum: number
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly fields: readonly string[]
  readonly json: string
  /** The index in `json` at which responses insert `resourceVersion`. */
  readonly spliceAt: number
}

/** Encodes a record. Throws `ObjectTooLarge` if there are too many labels, or if a label or field is too long. */
export function encodeRecord(record: RecordContents): Uint8Array {
  const labels = record.labels ? Object.keys(record.labels).sort() : undefined
  if (labels !== undefined && labels.length > maxLabels)
    throw newObjectTooLargeError(`an object has at most ${maxLabels} labels, not ${labels.length}`)
  const strings: string[] = []
  if (labels) for (const key of labels) strings.push(key, record.labels![key]!)
  strings.push(...record.fields)
  let head = headerBytes + 2
  for (const text of strings) {
    const length = measureUtf8(text)
    if (length > maxString) throw newObjectTooLargeError(`a label or selectable field has at most ${maxString} bytes, not ${length}`)
    head += 2 + length
  }
  const { json } = record
  const jsonBytes = Buffer.byteLength(json)
  const buffer = Buffer.allocUnsafe(head + jsonBytes)
  buffer[0] = recordFormat
  buffer.writeUInt32BE(record.schemaVersion, 1)
  buffer.writeUInt32BE(record.fieldsChecksum, 5)
  buffer.writeUInt32BE(head, 9)
  buffer.writeUInt32BE(jsonBytes === json.length ? record.spliceAt : Buffer.byteLength(json.slice(0, record.spliceAt)), 13)
  buffer.writeUInt16BE(labels ? labels.length : noLabels, labelsAt)
  let at = headerBytes
  const labelStrings = labels ? labels.length * 2 : 0
  for (let i = 0; i < labelStrings; i++) at = writeString(buffer, at, strings[i]!)
  at = buffer.writeUInt16BE(record.fields.length, at)
  for (let i = labelStrings; i < strings.length; i++) at = writeString(buffer, at, strings[i]!)
  // Most text is ASCII. Copying ASCII as latin1 is faster than encoding it as UTF-8.
  buffer.write(json, at, jsonBytes === json.length ? 'latin1' : 'utf8')
  return buffer
}

function newObjectTooLargeError(message: string): StorageError {
  return new StorageError({ code: 'ObjectTooLarge', key: '', message })
}

/** Returns the number of bytes of a text in UTF-8. For short strings, a loop over the characters is faster than a native call. */
function measureUtf8(text: string): number {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return Buffer.byteLength(text)
  return text.length
}

function writeString(out: Buffer, at: number, text: string): number {
  const { length } = text
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) return writeWideString(out, at, text)
    out[at + 2 + i] = code
  }
  out.writeUInt16BE(length, at)
  return at + 2 + length
}

function writeWideString(out: Buffer, at: number, text: string): number {
  const written = out.write(text, at + 2)
  out.writeUInt16BE(written, at)
  return at + 2 + written
}

/** The labels and selectable fields in the header of a record. */
export interface RecordIndex {
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly fields: readonly string[]
}

/** Decodes the labels and selectable fields of a record. */
export function decodeIndex(value: Buffer): RecordIndex {
  let at = headerBytes
  const readText = (): string => {
    const length = value.readUInt16BE(at)
    at += 2 + length
    return value.toString('utf8', at - length, at)
  }
  const count = value.readUInt16BE(labelsAt)
  let labels: Record<string, string> | undefined
  if (count !== noLabels) {
    labels = {}
    for (let i = 0; i < count; i++) {
      const key = readText()
      labels[key] = readText()
    }
  }
  const fields: string[] = []
  const fieldCount = value.readUInt16BE(at)
  at += 2
  for (let i = 0; i < fieldCount; i++) fields.push(readText())
  return { labels, fields }
}

/** Reads a 16-bit integer at `at`: the length of a string, or a number of labels or fields. */
export function readLength(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!
}

/** Returns the position after the labels of a record, at which the number of selectable fields is stored. */
export function findLabelsEnd(record: Uint8Array): number {
  const count = readLength(record, labelsAt)
  let at = headerBytes
  for (let strings = count === noLabels ? 0 : count * 2; strings > 0; strings--) at += 2 + readLength(record, at)
  return at
}
