import type { CertificateSigningRequest } from '@keelson/api/certificates/v1'
import { isPathSegmentName } from '@keelson/apimachinery'
import { defineResource } from '@keelson/registry'
import type { ResourceDefinition } from '@keelson/registry'
import { signingRequestColumns } from './columns.ts'
import { signingRequestApproval, signingRequestStatus, signingRequestStrategy } from './strategy.ts'

/**
 * The definition of certificate signing requests. An approver approves a request and a signer issues the certificate, each through a
 * separate subresource.
 */
export const certificateSigningRequests: ResourceDefinition<CertificateSigningRequest> = defineResource<CertificateSigningRequest>({
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  scope: 'Cluster',
  shortNames: ['csr'],
  validateName: isPathSegmentName,
  selectableFields: { 'spec.signerName': ({ spec }) => spec.signerName },
  strategy: signingRequestStrategy,
  subresources: { approval: signingRequestApproval, status: signingRequestStatus },
  allColumns: signingRequestColumns,
})
