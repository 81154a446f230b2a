import { fieldError, parseJson } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { lowerCased, parseAnnotationList, textMember } from '../annotation-list.ts'
import { validateTaints } from './validate-taints.ts'

const taintsAnnotation = 'scheduler.alpha.kubernetes.io/taints'
const avoidPodsAnnotation = 'scheduler.alpha.kubernetes.io/preferAvoidPods'

/** Annotations of a node that once meant something to the scheduler, and are still read. */
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
      key: textMember(members, 'key'),
      value: textMember(members, 'value'),
      effect: textMember(members, 'effect'),
    }))
    return validateTaints(taints, path.child(taintsAnnotation))
  } catch (error) {
    return [fieldError.invalid(path, taintsAnnotation, (error as Error).message)]
  }
}

function validateAvoidPodsAnnotation(text: string | undefined, path: FieldPath): FieldErrorList {
  if (!text) return []
  try {
    const entries = lowerCased(parseJson(text).value ?? {}, 'v1.AvoidPods')['preferavoidpods'] ?? []
    if (!Array.isArray(entries)) return []
    return entries.flatMap((entry, i) => validateAvoidedPod(entry, path.child(avoidPodsAnnotation).index(i)))
  } catch (error) {
    return [fieldError.invalid(path.child('AvoidPods'), avoidPodsAnnotation, (error as Error).message)]
  }
}

/** Pods are named by the controller that owns them. */
function validateAvoidedPod(entry: unknown, path: FieldPath): FieldErrorList {
  const signature = lowerCased(lowerCased(entry, 'v1.PreferAvoidPodsEntry')['podsignature'] ?? {}, 'v1.PodSignature')
  const owner = signature['podcontroller']
  const at = path.child('PodSignature')
  if (owner === undefined || owner === null) return [fieldError.required(at)]
  if (lowerCased(owner, 'v1.OwnerReference')['controller'] === true) return []
  return [fieldError.invalid(at.child('PodController', 'Controller'), false, 'must point to a controller')]
}
