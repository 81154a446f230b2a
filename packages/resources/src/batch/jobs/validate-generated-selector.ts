import type { Job } from '@keelson/api/batch/v1'
import { fieldError, newFieldPath } from '@keelson/apimachinery'
import type { DeepReadonly, FieldErrorList } from '@keelson/apimachinery'
import { printMap } from '@keelson/resources-core'
import { parseSelector, printSelector } from '../../workloads/workload-selector.ts'
import { controllerUidLabel, jobNameLabel, legacyControllerUidLabel, legacyJobNameLabel } from './job-labels.ts'

const selectorPath = newFieldPath('spec', 'selector')
const templateLabelsPath = newFieldPath('spec', 'template', 'metadata', 'labels')

/** Reports labels and selectors sent by the client that differ from the generated ones. */
export function validateGeneratedSelector({ metadata, spec }: DeepReadonly<Job>, requirePrefixed: boolean): FieldErrorList {
  if (spec === undefined || spec.manualSelector === true || spec.selector === undefined) return []
  const { uid = '', name = '' } = metadata
  const expected: Record<string, string> = { [legacyControllerUidLabel]: uid, [legacyJobNameLabel]: name }
  if (requirePrefixed) Object.assign(expected, { [controllerUidLabel]: uid, [jobNameLabel]: name })
  const podMeta = spec.template?.metadata
  const errors = uid === '' ? [fieldError.required(newFieldPath('metadata', 'uid'))] : []
  for (const [key, value] of Object.entries(expected)) {
    const actual = podMeta?.labels?.[key]
    const [at, detail] = [templateLabelsPath.key(key), `must be '${value}'`]
    if (actual === undefined) errors.push(fieldError.required(at, detail))
    else if (actual !== value) errors.push(fieldError.invalid(at, printMap(podMeta, 'labels'), detail))
  }
  if (parseSelector(spec.selector)?.matches(expected) === false) {
    errors.push(fieldError.invalid(selectorPath, printSelector(spec.selector), '`selector` not auto-generated'))
  }
  return errors
}
