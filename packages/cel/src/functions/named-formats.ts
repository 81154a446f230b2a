import {
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
} from '@keelson/apimachinery'
import { CelError, none, noSuchOverload, OpaqueValue, Optional } from '../values/value.ts'
import type { Value } from '../values/value.ts'
import { adaptTypes } from './implementation.ts'
import type { Implementations } from './implementation.ts'
import { parseUrl } from './parse-url.ts'

type Validate = (text: string) => readonly string[]

/** A named string format, for example `format.dns1123Label()`. */
export class NamedFormat extends OpaqueValue {
  readonly typeName = 'kubernetes.NamedFormat'
  readonly name: string
  /** Length of the format's pattern, for cost estimates. */
  readonly patternSize: number
  readonly validate: Validate

  constructor(name: string, patternSize: number, validate: Validate) {
    super()
    this.name = name
    this.patternSize = patternSize
    this.validate = validate
  }

  equals(other: Value): boolean | CelError {
    if (other instanceof CelError) return other
    return other instanceof NamedFormat ? this.name === other.name : noSuchOverload
  }
}

const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/
const uuidPattern = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const clock = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/
const timePatternSize = 71

/** Returns whether a text is a date of the calendar: `2006-01-02`. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text)
  if (match === null) return false
  const [, year, month, day] = match.map(Number) as [number, number, number, number]
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return month >= 1 && month <= 12 && day >= 1 && date.getUTCDate() === day
}

/** Returns whether a text is a date and time like that of RFC 3339: `2006-01-02T15:04:05Z`. */
export function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t')
  if (time === undefined || !isDate(date!)) return false
  const match = clock.exec(time)
  return match !== null && match[1]! <= '23' && match[2]! <= '59' && match[3]! <= '59'
}

export function isBase64(text: string): boolean {
  return base64Pattern.test(text)
}

export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

function createValidation(isValid: (text: string) => boolean, message: string): Validate {
  return (text) => (isValid(text) ? [] : [message])
}

function findUriErrors(text: string): readonly string[] {
  const url = parseUrl(text)
  return typeof url === 'string' ? [url] : []
}

const formats: Readonly<Record<string, NamedFormat>> = {
  dns1123Label: new NamedFormat('DNS1123Label', 30, isDNS1123Label),
  dns1123Subdomain: new NamedFormat('DNS1123Subdomain', 60, isDNS1123Subdomain),
  dns1035Label: new NamedFormat('DNS1035Label', 30, isDNS1035Label),
  qualifiedName: new NamedFormat('QualifiedName', 60, isQualifiedName),
  dns1123LabelPrefix: new NamedFormat('DNS1123LabelPrefix', 30, (text) => nameIsDNSLabel(text, true)),
  dns1123SubdomainPrefix: new NamedFormat('DNS1123SubdomainPrefix', 60, (text) => nameIsDNSSubdomain(text, true)),
  dns1035LabelPrefix: new NamedFormat('DNS1035LabelPrefix', 30, (text) => nameIsDNS1035Label(text, true)),
  labelValue: new NamedFormat('LabelValue', 40, isValidLabelValue),
  uri: new NamedFormat('URI', 1103, findUriErrors),
  uuid: new NamedFormat('uuid', 70, createValidation(isUuid, 'does not match the UUID format')),
  byte: new NamedFormat('byte', 84, createValidation(isBase64, 'invalid base64')),
  date: new NamedFormat('date', timePatternSize, createValidation(isDate, 'invalid date')),
  datetime: new NamedFormat('datetime', timePatternSize, createValidation(isDateTime, 'invalid datetime')),
}

function validate(format: NamedFormat, text: string): Value {
  const problems = format.validate(text)
  return problems.length === 0 ? none : new Optional(problems)
}

/** Named formats. */
export const namedFormats: Implementations = {
  ...Object.fromEntries(Object.entries(formats).map(([name, format]) => [`format.${name}`, () => format])),
  'format-named': adaptTypes((name: string) => (Object.hasOwn(formats, name) ? new Optional(formats[name]) : none)),
  'format-validate': adaptTypes(validate),
}
