import { fieldError, newFieldPath, nameIsDNSSubdomain } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { auditLevels, auditStages } from './policy.ts'
import type { AuditPolicy, PolicyRule } from './policy.ts'

/** Validates a policy. Some paths lack the name of their list, as in kube-apiserver. */
export function validatePolicy(policy: AuditPolicy): FieldErrorList {
  const rulesPath = newFieldPath('rules')
  return [
    ...validateStages(policy.omitStages, newFieldPath('omitStages')),
    ...policy.rules.flatMap((rule, i) => validateRule(rule, rulesPath.index(i))),
  ]
}

function validateRule(rule: PolicyRule, path: FieldPath): FieldErrorList {
  const { nonResourceURLs = [], resources = [], namespaces = [] } = rule
  const errors = [
    ...validateLevel(rule.level, path.child('level')),
    ...validateUrls(nonResourceURLs, path.child('nonResourceURLs')),
    ...validateResources(rule, path.child('resources')),
    ...validateStages(rule.omitStages, path.child('omitStages')),
  ]
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    const detail = 'rules cannot apply to both regular resources and non-resource URLs'
    errors.push(fieldError.invalid(path.child('nonResourceURLs'), nonResourceURLs, detail))
  }
  return errors
}

function validateLevel(level: string | undefined, path: FieldPath): FieldErrorList {
  if (!level) return [fieldError.required(path, '')]
  return auditLevels.some((auditLevel) => auditLevel === level) ? [] : [fieldError.notSupported(path, level, auditLevels)]
}

function validateUrls(urls: readonly string[], path: FieldPath): FieldErrorList {
  return urls.flatMap((url, i) => {
    if (url === '*') return []
    const errors: FieldErrorList = []
    if (!url.startsWith('/')) errors.push(fieldError.invalid(path.index(i), url, "non-resource URL rules must begin with a '/' character"))
    if (url.slice(0, -1).includes('*')) {
      errors.push(fieldError.invalid(path.index(i), url, "non-resource URL wildcards '*' must be the final character of the rule"))
    }
    return errors
  })
}

function validateResources({ resources = [] }: PolicyRule, path: FieldPath): FieldErrorList {
  return resources.flatMap(({ group = '', resources: plurals = [], resourceNames = [] }) => {
    const errors: FieldErrorList = []
    const problems = group === '' || group === '*' ? [] : nameIsDNSSubdomain(group, false)
    if (problems.length > 0) errors.push(fieldError.invalid(path.child('group'), group, problems.join(',')))
    if (resourceNames.length > 0 && plurals.length === 0) {
      errors.push(fieldError.invalid(path.child('resourceNames'), resourceNames, 'using resourceNames requires at least one resource'))
    }
    return errors
  })
}

function validateStages(stages: readonly string[] = [], path: FieldPath): FieldErrorList {
  return stages.flatMap((stage, i) =>
    auditStages.some((auditStage) => auditStage === stage)
      ? []
      : [fieldError.invalid(path.index(i), stage, `allowed stages are ${auditStages.join(',')}`)],
  )
}
