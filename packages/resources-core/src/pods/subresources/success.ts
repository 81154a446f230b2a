import type { KubeObject, Status } from '@keelson/apimachinery'

/** What a POST that made nothing is answered with. */
export function created(): KubeObject {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
  return status
}
