import { certificatesV1 } from '@keelson/api/certificates/v1'
import { defineApiGroup } from '@keelson/registry'
import type { ApiGroup } from '@keelson/registry'
import { certificateSigningRequests } from './certificatesigningrequests/index.ts'

export const certificates: ApiGroup = defineApiGroup({
  name: 'certificates.k8s.io',
  priority: 17300,
  types: [certificatesV1],
  retiredVersions: ['v1beta1', 'v1alpha1'],
  resources: [certificateSigningRequests],
})
