import { copyObject, equalsSemantically } from '@keelson/apimachinery'
import type { KubeObject } from '@keelson/apimachinery'
import type { AdmissionAttributes } from './admission.ts'

/**
 * The webhooks or policies that a plugin has to call in the second run of the mutating plugins: those that may be called twice, if something
 * changed the object after their first call.
 */
export class SecondCalls {
  readonly #called = new Set<string>()
  readonly #due = new Set<string>()
  /** The object after the last call. Undefined if nothing can be called again. */
  #output: KubeObject | undefined

  /** Returns the state that a plugin keeps during a write. */
  static of({ reinvocation }: AdmissionAttributes, plugin: string): SecondCalls {
    return reinvocation.stateOf(plugin, () => new SecondCalls())
  }

  /** Begins a run of the plugin. */
  begin({ reinvocation, object }: AdmissionAttributes): void {
    if (reinvocation.isSecondRun && this.#called.size > 0 && !equalsSemantically(this.#output, object)) this.require()
  }

  /** Returns whether a webhook or policy has to be skipped in this run. */
  skips(id: string, { reinvocation }: AdmissionAttributes): boolean {
    return reinvocation.isSecondRun && !this.#due.has(id)
  }

  /** Records a call of a webhook or policy that may be called twice. */
  add(id: string): void {
    this.#called.add(id)
  }

  /** Requires a second call of all that were called, because the object changed. */
  require(): void {
    for (const id of this.#called) this.#due.add(id)
    this.#called.clear()
  }

  /** Ends a run of the plugin. */
  end({ object }: AdmissionAttributes): void {
    this.#output = this.#called.size > 0 && object !== undefined ? copyObject(object) : undefined
  }
}
