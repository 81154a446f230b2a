import type { Namespace } from '@keelson/api/core/v1'
import { runAfter, newNotFound } from '@keelson/apimachinery'
import type { DeepReadonly } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'
import type { Matcher } from '../matching/create-matcher.ts'

const namespaces = { group: '', resource: 'namespaces' }

/** The namespace of a request. Undefined for a cluster-wide object. */
export type RequestNamespace = DeepReadonly<Namespace> | undefined

/** Returns the namespace of a request. Throws a 404 if it does not exist. */
export function findRequestNamespace(
  matcher: Matcher,
  { namespace, kind }: AdmissionAttributes,
): RequestNamespace | Promise<RequestNamespace> {
  if (namespace === '' || (kind.group === '' && kind.version === 'v1' && kind.kind === 'Namespace')) return undefined
  return runAfter(matcher.findNamespace(namespace), (found) => {
    if (found === undefined) throw newNotFound(namespaces, namespace)
    return found
  })
}
