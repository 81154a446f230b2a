import type { GroupResource, Span } from '@keelson/apimachinery'
import type { ListObjectsOptions } from './storage.ts'

/** Time in milliseconds from which a step of a storage is in the log of slow requests. */
export const slowStepMs = 500

interface WriteStep {
  readonly key: string
  readonly resource: GroupResource
  readonly type: string | undefined
}

/** Starts the step of a write. Its name and attributes are kube-apiserver's, whatever the driver is. */
export function startWriteStep(request: Span, name: string, { key, resource, type }: WriteStep): Span {
  return request.startChild(name, {
    'audit-id': request.auditId,
    key,
    ...(type !== undefined && { type: `*${type}` }),
    group: resource.group,
    resource: resource.resource,
  })
}

/** Starts the step of a list that is read from the store. */
export function startListStep(request: Span, key: string, options: ListObjectsOptions): Span {
  const { recursive = true, resourceVersion = '', resourceVersionMatch = '', limit = 0, continue: token = '' } = options
  return request.startChild(`List(recursive=${recursive}) etcd3`, {
    'audit-id': request.auditId,
    key,
    resourceVersion,
    resourceVersionMatch,
    limit,
    continue: token,
  })
}
