import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import type { Step } from '../cases/case.ts'
import type { Answer } from '../play/server.ts'
import { isObject } from '../cases/locations.ts'

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?Z/g
const wholeSeconds: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionTimestamp',
  'time',
  'lastTransitionTime',
  'lastPhaseTransitionTime',
])
const uids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const serviceAddresses = /\b10\.0\.\d{1,3}\.\d{1,3}\b(?!\/)/g
/** Pattern of the random suffix of generated names. */
const randomLetters = '[bcdfghjklmnpqrstvwxz2456789]{5}'

interface Place {
  readonly key: string
  readonly parent: JsonValue | undefined
  readonly grandKey: string
}

export interface NormalizerOptions {
  /**
   * Whether the order of managed fields is ignored. Entries are sorted by their times, so in a case that takes longer than a second their order
   * depends on the speed of the server.
   */
  readonly sortsManagedFields?: boolean
}

/**
 * Replaces values that a server may choose, such as uids and times. Follows the golden player (`../shared/golden/play.mjs`), with additional rules for
 * live servers. uids and versions become numbers in order of first appearance: two that differ on one server must differ on the other.
 * Use one normalizer for each case and server.
 */
export class Normalizer {
  readonly #options: NormalizerOptions
  readonly #seen = new Map<string, Map<string, number>>()
  #sent = ''

  constructor(options: NormalizerOptions = {}) {
    this.#options = options
  }

  answer(answer: Answer, { body }: Step): Answer {
    this.#sent = JSON.stringify(body ?? '')
    const generated = isObject(body) && isObject(body['metadata']) ? body['metadata']['generateName'] : undefined
    const tidy = (value: JsonValue): JsonValue => this.#value(value, { key: '', parent: undefined, grandKey: '' })
    const normal = tidy(typeof generated === 'string' && generated !== '' ? withoutRandom(answer.body, generated) : answer.body)
    return { ...answer, body: sortErrorLines(sortCauses(normal)) }
  }

  #value(value: JsonValue, place: Place): JsonValue {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#value(item, { key: place.key, parent: value, grandKey: place.key }))
      return place.key === 'managedFields' && this.#options.sortsManagedFields === true ? sortByText(items) : items
    }
    if (isObject(value))
      return Object.fromEntries(
        Object.keys(value)
          .toSorted()
          .map((key) => [key, this.#value(value[key]!, { key, parent: value, grandKey: place.key })]),
      )
    if (typeof value === 'number') return this.#number(value, place)
    if (place.key === 'description' && isColumn(place.parent)) return '<text>'
    return typeof value === 'string' && value !== '' ? this.#string(value, place) : value
  }

  #number(value: number, { key }: Place): JsonValue {
    const isPort = key === 'nodePort' || key === 'healthCheckNodePort'
    return isPort && !this.#wasSent(value) && value >= 30_000 && value <= 32_767 ? '<port>' : value
  }

  #string(value: string, { key, parent, grandKey }: Place): string {
    const holder = isObject(parent) ? parent : {}
    if (key === 'resourceVersion' && /^[1-9]\d*$/.test(value)) return 'uid' in holder ? this.#numbered('rv', value) : '<rv>'
    if (key === 'continue') return '<continue>'
    if (key === 'serverAddress') return '<address>'
    if (key === 'token' && grandKey === 'status') return '<token>'
    if (wholeSeconds.has(key) && time.test(value) && !value.includes('.')) return '<time>'
    if (time.test(value) && !this.#wasSent(value) && isAboutNow(value)) return value.includes('.') ? '<time.micro>' : '<time>'
    if (key === 'name' && typeof holder['generateName'] === 'string' && value.startsWith(holder['generateName']))
      return `${holder['generateName']}<random>`
    if ((key === 'clusterIP' || key === 'clusterIPs') && value !== 'None' && !this.#wasSent(value) && /^10\.0\.\d+\.\d+$/.test(value))
      return '<ip>'
    if (key === 'cells' && (time.test(value) || /^(\d+[smhdy])+$/.test(value))) return '<age>'
    if (key === 'cells' && isServiceAddress(value)) return '<ip>'
    return this.#text(value)
  }

  /** Replaces variable values inside a text, because error messages and YAML bodies contain whole objects. */
  #text(value: string): string {
    return (
      value
        .replaceAll(uids, (uid) => (this.#wasSent(uid) ? uid : this.#numbered('uid', uid)))
        // The name of a scheme depends on the paths with which kube-apiserver was built.
        .replaceAll(/ in scheme "[^"]*"/g, ' in scheme <scheme>')
        .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<random>')
        .replaceAll(
          /(Too large resource version: \d+, current: |too old resource version: \d+ \(|ResourceVersion in record \(|ResourceVersion in object meta: |resourceVersion\\*"?: ?\\*")\d+/g,
          '$1<rv>',
        )
        .replaceAll(times, (time) => (!this.#sent.includes(time) && isAboutNow(time) ? '<time>' : time))
        .replaceAll(/(\d):3[0-2]\d{3}\//g, '$1:<port>/')
        .replaceAll(/((?:nodePort|healthCheckNodePort)\\*"?: ?)(3[0-2]\d{3})\b/g, (match, name: string, port) =>
          this.#wasSent(Number(port)) ? match : `${name}<port>`,
        )
        .replaceAll(/(nodePort: \{[A-Z]+ )3[0-2]\d{3}\b/g, '$1<port>')
        .replaceAll(/^( *continue: )\S+/gm, '$1<continue>')
        .replaceAll(/(serverAddress: )\S+/g, '$1<address>')
        .replaceAll(serviceAddresses, (ip) => (this.#wasSent(ip) ? ip : '<ip>'))
    )
  }

  #wasSent(value: string | number): boolean {
    return this.#sent.includes(JSON.stringify(value))
  }

  #numbered(subject: string, value: string): string {
    const seen = this.#seen.get(subject) ?? new Map<string, number>()
    this.#seen.set(subject, seen)
    if (!seen.has(value)) seen.set(value, seen.size + 1)
    return `<${subject}#${seen.get(value)}>`
  }
}

/** Returns whether a value is a column definition of a table. The descriptions of columns are not compared. */
function isColumn(value: JsonValue | undefined): boolean {
  return isObject(value) && 'format' in value && 'priority' in value
}

function isServiceAddress(value: string): boolean {
  return /^10\.0\.\d+\.\d+$/.test(value)
}

function isAboutNow(value: string): boolean {
  return Math.abs(Date.parse(value) - Date.now()) < 2 * 86_400_000
}

function withoutRandom(body: JsonValue, generated: string): JsonValue {
  const escaped = JSON.stringify(generated)
    .slice(1, -1)
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return JSON.parse(
    JSON.stringify(body).replaceAll(new RegExp(`${escaped}${randomLetters}`, 'g'), () => `${generated}<random>`),
  ) as JsonValue
}

/**
 * Sorts the causes of an error, because kube-apiserver lists some causes in the random order of Go maps. Drops the message of the error,
 * which repeats the causes.
 */
export function sortCauses(body: JsonValue): JsonValue {
  if (!isObject(body) || !isObject(body['details'])) return body
  const { causes } = body['details']
  if (!Array.isArray(causes) || causes.length < 2) return body
  return { ...body, message: '<causes>', details: { ...body['details'], causes: sortByText(causes) } } satisfies JsonObject
}

const startOfErrorLine = '\n  .'

/** Sorts the lines of a message that lists errors of fields, because kube-apiserver visits custom objects in the random order of Go maps. */
function sortErrorLines(body: JsonValue): JsonValue {
  if (!isObject(body) || body['kind'] !== 'Status' || typeof body['message'] !== 'string') return body
  const [head, ...lines] = body['message'].split(startOfErrorLine)
  return lines.length < 2 ? body : { ...body, message: [head, ...lines.toSorted()].join(startOfErrorLine) }
}

function sortByText(items: readonly JsonValue[]): JsonValue[] {
  const formatText = (item: JsonValue): string => JSON.stringify(item)
  return items.toSorted((a, b) => (formatText(a) < formatText(b) ? -1 : 1))
}
