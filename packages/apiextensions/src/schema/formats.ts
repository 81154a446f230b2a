import { measureUtf8Bytes, parseDuration } from '@keelson/apimachinery'
import { isBase64, isDate, isDateTime, isUuid, parseAddress, parseUrl } from '@keelson/cel'
import type { Schema } from '../rules/schema-type.ts'
import { isEmail } from './email-address.ts'

/**
 * Returns whether kube-apiserver validates the format of a schema. Others have no effect. The supported formats depend on the type of the
 * schema.
 */
export function isSupportedFormat({ type, format = '', ...schema }: Schema): boolean {
  const isString = type === undefined || type === '' || type === 'string' || schema['x-kubernetes-int-or-string'] === true
  if (isString) return isTextFormat(format)
  if (type === 'integer') return format === 'int32' || format === 'int64'
  return type === 'number' && (format === 'float' || format === 'double')
}

/** Returns whether a format applies to texts. The others apply to numbers. */
export function isTextFormat(format: string): boolean {
  return formats.has(normalize(format))
}

/** Returns whether a text has a format. Formats of numbers accept every text. */
export function hasFormat(text: string, format: string): boolean {
  return formats.get(normalize(format))?.(text) ?? true
}

function normalize(format: string): string {
  return format.includes('-') ? format.replaceAll('-', '') : format
}

const shortName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const longName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

/** Checks of texts by the format's name without dashes. */
const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['bsonobjectid', createPatternTest(/^[0-9a-fA-F]{24}$/)],
  ['uri', (text) => typeof parseUrl(text) === 'object'],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && isAddress(withoutLeadingZeros(text))],
  ['ipv6', (text) => text.includes(':') && isAddress(text)],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', isUuid],
  ['uuid3', createPatternTest(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', createPatternTest(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', createPatternTest(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', createPatternTest(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ['rgbcolor', isRgbColor],
  ['byte', isBase64],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => measureUtf8Bytes(text) <= 63 && shortName.test(text)],
  ['k8slongname', (text) => measureUtf8Bytes(text) <= 253 && longName.test(text)],
])

function createPatternTest(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text)
}

const hostname =
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u

function isHostname(text: string): boolean {
  if (measureUtf8Bytes(text) > 255 || !hostname.test(text)) return false
  return text.split('.').every((label) => measureUtf8Bytes(label) <= 63)
}

function isAddress(text: string): boolean {
  try {
    return parseAddress(text).zone === ''
  } catch {
    return false
  }
}

/** Removes leading zeros of numbers in an address. Go accepted them before version 1.17, and kube-apiserver still does. */
function withoutLeadingZeros(address: string): string {
  return address.replace(/(^|[.:])0+(?=[0-9a-fA-F])/g, '$1')
}

function isCidr(text: string): boolean {
  const slash = text.indexOf('/')
  if (slash < 0) return false
  const [address, length] = [withoutLeadingZeros(text.slice(0, slash)), text.slice(slash + 1)]
  if (!/^[0-9]+$/.test(length) || !isAddress(address)) return false
  return Number(length) <= (address.includes(':') ? 128 : 32)
}

const mac = /^[0-9a-f]{2}([:-])[0-9a-f]{2}(?:\1[0-9a-f]{2}){4}(?:(?:\1[0-9a-f]{2}){2}|(?:\1[0-9a-f]{2}){14})?$/i
const dottedMac = /^[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}(?:\.[0-9a-f]{4}|(?:\.[0-9a-f]{4}){7})?$/i

const plainMac = /^(?:[0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{40})$/i

/** Returns whether a text is a MAC address of 6, 8 or 20 bytes. */
function isMac(text: string): boolean {
  return mac.test(text) || dottedMac.test(text) || plainMac.test(text)
}

function withoutSeparators(text: string): string {
  return text.replace(/[\t\n\f\r -]+/g, '')
}

function isIsbn10(text: string): boolean {
  const digits = withoutSeparators(text)
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false
  const sum = Array.from(digits, (digit, i) => (i + 1) * (digit === 'X' ? 10 : Number(digit))).reduce((a, b) => a + b)
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = withoutSeparators(text)
  if (!/^[0-9]{13}$/.test(digits)) return false
  const sum = Array.from(digits, (digit, i) => (i % 2 === 0 ? 1 : 3) * Number(digit)).reduce((a, b) => a + b)
  return sum % 10 === 0
}

const creditCard =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '')
  if (!creditCard.test(digits)) return false
  const values = Array.from(digits, Number).reverse()
  const doubled = values.map((value, i) => (i % 2 === 0 ? value : value < 5 ? 2 * value : 2 * value - 9))
  return doubled.reduce((a, b) => a + b) % 10 === 0
}

function isRgbColor(text: string): boolean {
  const channel = String.raw`[\t\n\f\r ]*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])[\t\n\f\r ]*`
  return new RegExp(String.raw`^rgb\(${channel},${channel},${channel}\)$`).test(text)
}

/** Units of durations. A unit may also begin with the last name of its line, such as "seconds". */
const units: readonly (readonly string[])[] = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
]

/** Returns whether a text is a duration of Go, or contains a duration of Scala such as "3 days". */
function isDuration(text: string): boolean {
  try {
    parseDuration(text)
    return true
  } catch {
    return hasScalaDuration(text)
  }
}

function hasScalaDuration(text: string): boolean {
  let hasDuration = false
  // The unit is optional, so that a long run of digits is read only once.
  for (const { 1: digits = '', 2: unit } of text.matchAll(/(\d+)[\t\n\f\r ]*([A-Za-zµ]+)?/g)) {
    if (unit === undefined) continue
    if (digits.replace(/^0+/, '').length > 19 || BigInt(digits) >= 2n ** 63n) return false
    const name = unit.toLowerCase()
    hasDuration ||= units.some((names) => names.includes(name) || name.startsWith(names.at(-1)!))
  }
  return hasDuration
}
