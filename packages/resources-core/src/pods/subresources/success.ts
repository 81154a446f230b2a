import type { KubeObject, Status } from '@keelson/apimachinery'

/** Creates the Status that is the response to a successful POST without a created object. */
export function createSuccessStatus(): KubeObject {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
  return status
}
