import type { KubeObject, Status } from '@keelson/apimachinery'

/** Returns the response to a successful POST that creates no object. */
export function successStatus(): KubeObject {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
  return status
}
