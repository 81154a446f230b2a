import type { UserInfo } from '@keelson/apimachinery'
import { reservedWords } from '../syntax/reserved-words.ts'
import { CelList } from '../values/list.ts'
import { CelMap, isMap } from '../values/map.ts'
import { adapt, Double } from '../values/value.ts'
import type { JsonRecord, Value } from '../values/value.ts'

/** Creates the value of the variable `claims`. All numbers are doubles. Field names may be escaped, as in `claims.example__dot__com`. */
export function toClaimsValue(claims: JsonRecord): Value {
  return new ClaimMap(claims, true)
}

/** Creates the value of the variable `user`. */
export function toUserValue({ name, uid = '', groups, extra = {} }: UserInfo): Value {
  return new ClaimMap({ username: name, uid, groups, extra }, true)
}

const plainNames: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' }

/** Decodes an escaped field name; undefined if it contains an unknown escape. */
function unescapeName(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped
  let isValid = true
  const name = escaped.replace(/__([^_]+)__/g, (escape, content: string) => {
    if (Object.hasOwn(plainNames, content)) return plainNames[content]!
    if (!reservedWords.has(content) || escape.length !== escaped.length) isValid = false
    return content
  })
  return isValid ? name : undefined
}

class ClaimMap extends CelMap {
  readonly #fields: JsonRecord
  /**
   * Whether this is the variable `claims` and not a nested claim. Only for the variable, names must be valid field names, and loops iterate
   * over values instead of keys, as in kube-apiserver.
   */
  readonly #isVariable: boolean

  constructor(fields: JsonRecord, isVariable: boolean) {
    super()
    this.#fields = fields
    this.#isVariable = isVariable
  }

  get size(): number {
    return Object.keys(this.#fields).length
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined
    const unescaped = unescapeName(key)
    if (unescaped === undefined && this.#isVariable) return undefined
    const name = unescaped ?? key
    return Object.hasOwn(this.#fields, name) ? toClaimValue(this.#fields[name]) : undefined
  }

  keys(): Iterable<Value> {
    return this.#isVariable ? Object.values(this.#fields).map(toClaimValue) : Object.keys(this.#fields)
  }
}

class ClaimList extends CelList {
  readonly #items: readonly unknown[]

  constructor(items: readonly unknown[]) {
    super()
    this.#items = items
  }

  get size(): number {
    return this.#items.length
  }

  get(index: number): Value {
    return toClaimValue(this.#items[index])
  }
}

function toClaimValue(raw: unknown): Value {
  if (typeof raw === 'number' || typeof raw === 'bigint') return new Double(Number(raw))
  if (Array.isArray(raw)) return new ClaimList(raw)
  return isMap(raw) && !(raw instanceof CelMap) ? new ClaimMap(raw, false) : adapt(raw)
}
