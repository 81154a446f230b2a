import type { KubeObject, Status } from '@keelson/apimachinery'

/** Response to a successful POST that created no object. */
export function successStatus(): KubeObject {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
  return status
}
