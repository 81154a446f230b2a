import { collectFieldErrors } from '@keelson/apimachinery'
import type { FieldErrorList, KubeObject, RequestContext } from '@keelson/apimachinery'
import type { Strategy } from '../resource-definition.ts'

export interface ValidationSteps {
  readonly validate: () => FieldErrorList
  readonly finish: (errors: FieldErrorList) => void
}

/** Validates as the strategy wants it run, then finishes with what is wrong. A promise when validation takes long. */
export function runValidation(
  strategy: Pick<Strategy<KubeObject>, 'runValidation'>,
  context: RequestContext,
  steps: ValidationSteps,
): void | Promise<void> {
  const { finish } = steps
  const validate = (): FieldErrorList => collectFieldErrors(steps.validate)
  const errors = strategy.runValidation === undefined ? validate() : strategy.runValidation(context, validate)
  return errors instanceof Promise ? errors.then(finish) : finish(errors)
}
