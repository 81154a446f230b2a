import type { JsonValue } from '@keelson/apimachinery'
import { isObject } from '../cases/locations.ts'
import type { Answer } from '../play/server.ts'

export interface Difference {
  /**
   * Name of the difference, for example `code 201/422 spec.containers[*].name` or `body.spec.replicas`. Contains no indexes and values, so
   * that differences with the same cause have the same name.
   */
  readonly where: string
  readonly want: JsonValue | undefined
  readonly got: JsonValue | undefined
}

/** Returns the first difference of two normalized responses. Compares the code, content type, warnings, causes of an error and body, in this order. */
export function findFirstDifference(want: Answer, got: Answer): Difference | undefined {
  if (want.code !== got.code) {
    const about = [want, got].map(({ body }) => readCauses(body)[0] ?? '').find((cause) => cause !== '') ?? ''
    return { where: `code ${want.code}/${got.code} ${readCauseField(about)}`.trimEnd(), want: summarize(want), got: summarize(got) }
  }
  if (want.type !== got.type) return { where: 'content type', want: want.type, got: got.type }
  if ((want.warning ?? '') !== (got.warning ?? '')) return { where: 'warning', want: want.warning, got: got.warning }
  return findDifferentCause(want.body, got.body) ?? findDifferentValue(want.body, got.body, 'body')
}

/** Returns the code of a success, and the code, reason, message and causes of a failure. */
function summarize({ code, body }: Answer): JsonValue {
  if (code < 400 || !isObject(body)) return code === 0 ? body : code
  return {
    code,
    reason: body['reason'] ?? null,
    message: body['message'] ?? null,
    ...(readCauses(body).length > 1 && { causes: readCauses(body) }),
  }
}

function readCauses(body: JsonValue): JsonValue[] {
  const details = isObject(body) ? body['details'] : undefined
  const causes = isObject(details) ? details['causes'] : undefined
  return Array.isArray(causes) ? causes : []
}

function readCauseField(cause: JsonValue): string {
  return isObject(cause) && typeof cause['field'] === 'string' ? withoutIndexes(cause['field']) : ''
}

/** Compares causes as sets, so that one missing cause is not also reported as a difference of all later ones. */
function findDifferentCause(want: JsonValue, got: JsonValue): Difference | undefined {
  const [wanted, gotten] = [want, got].map((body) => new Map(readCauses(body).map((cause) => [JSON.stringify(cause), cause])))
  const missing = [...wanted!].find(([text]) => !gotten!.has(text))?.[1]
  const extra = [...gotten!].find(([text]) => !wanted!.has(text))?.[1]
  const first = missing ?? extra
  if (first === undefined) return undefined
  return { where: `cause ${readCauseField(first)}`, want: missing, got: extra }
}

function findDifferentValue(want: JsonValue | undefined, got: JsonValue | undefined, at: string): Difference | undefined {
  if (want === got) return undefined
  const pairs =
    Array.isArray(want) && Array.isArray(got)
      ? Array.from({ length: Math.max(want.length, got.length) }, (_, index) => [`[${index}]`, want[index], got[index]] as const)
      : isObject(want) && isObject(got)
        ? [...new Set([...Object.keys(want), ...Object.keys(got)])].map((key) => [`.${key}`, want[key], got[key]] as const)
        : undefined
  if (pairs === undefined)
    return {
      where: withoutIndexes(at),
      ...(typeof want === 'string' && typeof got === 'string' ? cutAtDifference(want, got) : { want, got }),
    }
  for (const [step, left, right] of pairs) {
    const difference = findDifferentValue(left, right, at + step)
    if (difference !== undefined) return difference
  }
  return undefined
}

/** Shortens two long texts to the part around the first difference. */
function cutAtDifference(want: string, got: string): Pick<Difference, 'want' | 'got'> {
  let equalStart = 0
  while (equalStart < want.length && want[equalStart] === got[equalStart]) equalStart++
  const start = equalStart < 200 ? 0 : equalStart - 100
  const [left, right] = [want, got].map((text) => (start === 0 ? text : `…${text.slice(start)}`))
  return { want: left, got: right }
}

/** Replaces the indexes and map keys in a path with `*`. */
function withoutIndexes(at: string): string {
  return at.replaceAll(/\[[^\]]*\]/g, '[*]')
}
