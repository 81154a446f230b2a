import { aggregateMessages } from '@keelson/apimachinery'
import type { Evaluation } from '../evaluate/program.ts'
import { Program } from '../evaluate/program.ts'
import type { Compiled } from '../compile.ts'
import { CelError } from '../values/value.ts'
import type { JsonRecord } from '../values/value.ts'
import { selectsField } from './authorization-environment.ts'

/** The fields of a SubjectAccessReview's spec that match conditions can read. */
export interface ReviewSpec {
  readonly user?: string
  readonly groups?: readonly string[]
  readonly uid?: string
  readonly extra?: Readonly<Record<string, readonly string[]>>
  readonly resourceAttributes?: ReviewedResource
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string }
}

interface ReviewedResource {
  readonly namespace?: string
  readonly verb?: string
  readonly group?: string
  readonly version?: string
  readonly resource?: string
  readonly subresource?: string
  readonly name?: string
  readonly fieldSelector?: ReviewedSelector
  readonly labelSelector?: ReviewedSelector
}

interface ReviewedSelector {
  readonly rawSelector?: string
  readonly requirements?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[]
}

export type MatchResult =
  | { readonly matches: boolean; readonly error?: undefined }
  /** At least one condition failed, and none was false. `error` is kube-apiserver's message. */
  | { readonly matches: false; readonly error: string }

/**
 * The match conditions of an authorization webhook.
 *
 * @example
 * const { compiled, problem } = compileMatchCondition("request.user != 'system:anonymous'")
 * if (compiled !== undefined) {
 *   const conditions = new MatchConditions([compiled])
 *   const { matches, error } = await conditions.match({ user: 'alice' })
 * }
 */
export class MatchConditions {
  readonly #conditions: readonly { readonly text: string; readonly program: Program }[]
  readonly #usesFieldSelector: boolean
  readonly #usesLabelSelector: boolean

  constructor(compiled: readonly Compiled[]) {
    this.#conditions = compiled.map((each) => ({ text: each.source.text, program: new Program(each) }))
    this.#usesFieldSelector = compiled.some(({ expression }) => selectsField(expression, 'fieldSelector'))
    this.#usesLabelSelector = compiled.some(({ expression }) => selectsField(expression, 'labelSelector'))
  }

  /** Returns whether all conditions are true. A false condition decides even if others fail. */
  match(spec: ReviewSpec): MatchResult | Promise<MatchResult> {
    return this.#from(0, { request: this.#request(spec) }, [])
  }

  /** Evaluates the conditions starting at an index. Returns a promise only if an evaluation does. */
  #from(start: number, activation: JsonRecord, errors: string[]): MatchResult | Promise<MatchResult> {
    for (let i = start; i < this.#conditions.length; i++) {
      const { text, program } = this.#conditions[i]!
      const evaluation = program.evaluate(activation)
      if (evaluation instanceof Promise) {
        return evaluation.then((result) => (isFalse(result, text, errors) ? { matches: false } : this.#from(i + 1, activation, errors)))
      }
      if (isFalse(evaluation, text, errors)) return { matches: false }
    }
    return errors.length === 0 ? { matches: true } : { matches: false, error: aggregateMessages(errors) }
  }

  /** Converts the spec to the value of `request`. Absent strings become empty. */
  #request(spec: ReviewSpec): JsonRecord {
    const { resourceAttributes: resource, nonResourceAttributes: path } = spec
    return {
      user: spec.user ?? '',
      groups: spec.groups ?? [],
      uid: spec.uid ?? '',
      extra: spec.extra ?? {},
      ...(resource === undefined ? {} : { resourceAttributes: this.#resource(resource) }),
      ...(path === undefined ? {} : { nonResourceAttributes: { verb: path.verb ?? '', path: path.path ?? '' } }),
    }
  }

  #resource(resource: ReviewedResource): JsonRecord {
    const field = this.#usesFieldSelector ? toSelectorValue(resource.fieldSelector) : undefined
    const label = this.#usesLabelSelector ? toSelectorValue(resource.labelSelector) : undefined
    return {
      namespace: resource.namespace ?? '',
      verb: resource.verb ?? '',
      group: resource.group ?? '',
      version: resource.version ?? '',
      resource: resource.resource ?? '',
      subresource: resource.subresource ?? '',
      name: resource.name ?? '',
      ...(field === undefined ? {} : { fieldSelector: field }),
      ...(label === undefined ? {} : { labelSelector: label }),
    }
  }
}

/** Returns whether a condition is false. If its evaluation failed, adds the error to `errors`. */
function isFalse({ value }: Evaluation, text: string, errors: string[]): boolean {
  if (typeof value !== 'boolean') {
    const reason = value instanceof CelError ? `resulted in error: ${value.message}` : 'eval result type should be bool'
    errors.push(`cel evaluation error: expression '${text}' ${reason}`)
  }
  return value === false
}

function toSelectorValue(selector: ReviewedSelector | undefined): JsonRecord | undefined {
  const { rawSelector = '', requirements = [] } = selector ?? {}
  if (rawSelector !== '') return { rawSelector }
  if (requirements.length === 0) return undefined
  return { requirements: requirements.map(({ key, operator, values = [] }) => ({ key, operator, values })) }
}
