import type { KubeObject } from '@keelson/apimachinery'

/**
 * A condition of an object: "exists", "deleted", the type of a condition in `status.conditions` that must be "True" (such as "Ready"), or a
 * function. The function gets undefined if the object does not exist.
 */
export type WaitCondition<T extends KubeObject> = string | ((object: T | undefined) => boolean)

export interface WaitOptions {
  /** Time in milliseconds after which waiting fails, measured by the system clock. Default: 10,000. */
  readonly timeoutMs?: number
}

/** A condition in the status of an object. */
export interface StatusCondition {
  readonly type?: string
  readonly status?: string
  readonly reason?: string
  readonly message?: string
}

export function isMet<T extends KubeObject>(condition: WaitCondition<T>, object: T | undefined): boolean {
  if (typeof condition === 'function') return condition(object)
  if (condition === 'deleted') return object === undefined
  if (condition === 'exists') return object !== undefined
  return readConditions(object).some(({ type, status }) => type === condition && status === 'True')
}

/** Returns the text "Ready=False (Crashed: exit code 1)". */
export function formatCondition({ type = '', status = '', reason, message }: StatusCondition): string {
  const details = [reason, message].filter((text) => text !== undefined && text !== '').join(': ')
  return `${type}=${status}${details === '' ? '' : ` (${details})`}`
}

export function readConditions(object: KubeObject | undefined): readonly StatusCondition[] {
  const { conditions } = (object as { readonly status?: { readonly conditions?: readonly StatusCondition[] } } | undefined)?.status ?? {}
  return conditions ?? []
}

/** The error of `waitFor` when the time is over. Its message shows the last state of the object. */
export class WaitTimeoutError extends Error {
  override readonly name: string = 'WaitTimeoutError'
  /** The last state of the object. Undefined if it never existed. */
  readonly last: KubeObject | undefined

  constructor(subject: string, condition: WaitCondition<never>, last: KubeObject | undefined, timeoutMs: number) {
    const description = describeCondition(condition)
    const state = last === undefined ? 'it never existed' : `its last state was ${JSON.stringify(withoutManagedFields(last), undefined, 2)}`
    super(`${subject}: waited ${timeoutMs} ms until ${description}; ${state}`)
    this.last = last
  }
}

function withoutManagedFields({ metadata: { managedFields: _managedFields, ...metadata }, ...object }: KubeObject): KubeObject {
  return { ...object, metadata }
}

function describeCondition(condition: WaitCondition<never>): string {
  if (typeof condition === 'function') return 'the condition is met'
  return condition === 'exists' ? 'it exists' : `it is ${condition}`
}
