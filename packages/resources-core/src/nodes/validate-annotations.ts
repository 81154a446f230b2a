import { fieldError, parseJson } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { lowerCaseKeys, parseAnnotationList, getString } from '../annotation-list.ts'
import { validateTaints } from './validate-taints.ts'

const taintsAnnotation = 'scheduler.alpha.kubernetes.io/taints'
const avoidPodsAnnotation = 'scheduler.alpha.kubernetes.io/preferAvoidPods'

/** Validates obsolete scheduler annotations, which kube-apiserver still parses. */
export function validateNodeAnnotations(annotations: Readonly<Record<string, string>> = {}, path: FieldPath): FieldErrorList {
  return [
    ...validateTaintsAnnotation(annotations[taintsAnnotation], path),
    ...validateAvoidPodsAnnotation(annotations[avoidPodsAnnotation], path),
  ]
}

function validateTaintsAnnotation(text: string | undefined, path: FieldPath): FieldErrorList {
  if (!text) return []
  try {
    const taints = parseAnnotationList(text, 'core.Taint').map((members) => ({
      key: getString(members, 'key'),
      value: getString(members, 'value'),
      effect: getString(members, 'effect'),
    }))
    return validateTaints(taints, path.child(taintsAnnotation))
  } catch (error) {
    return [fieldError.invalid(path, taintsAnnotation, (error as Error).message)]
  }
}

function validateAvoidPodsAnnotation(text: string | undefined, path: FieldPath): FieldErrorList {
  if (!text) return []
  try {
    const entries = lowerCaseKeys(parseJson(text).value ?? {}, 'v1.AvoidPods')['preferavoidpods'] ?? []
    if (!Array.isArray(entries)) return []
    return entries.flatMap((entry, i) => validateAvoidedPod(entry, path.child(avoidPodsAnnotation).index(i)))
  } catch (error) {
    return [fieldError.invalid(path.child('AvoidPods'), avoidPodsAnnotation, (error as Error).message)]
  }
}

/** Validates an entry of the annotation `preferAvoidPods`. An entry identifies pods by their controller. */
function validateAvoidedPod(entry: unknown, path: FieldPath): FieldErrorList {
  const signature = lowerCaseKeys(lowerCaseKeys(entry, 'v1.PreferAvoidPodsEntry')['podsignature'] ?? {}, 'v1.PodSignature')
  const owner = signature['podcontroller']
  const at = path.child('PodSignature')
  if (owner === undefined || owner === null) return [fieldError.required(at)]
  if (lowerCaseKeys(owner, 'v1.OwnerReference')['controller'] === true) return []
  return [fieldError.invalid(at.child('PodController', 'Controller'), false, 'must point to a controller')]
}
