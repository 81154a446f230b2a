import type { CertificateSigningRequest } from '@keelson/api/certificates/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { ageColumn, formatHumanDuration, nameColumn } from '@keelson/registry'
import type { Column } from '@keelson/registry'

export const signingRequestColumns: readonly Column<CertificateSigningRequest>[] = [
  nameColumn,
  ageColumn,
  { name: 'SignerName', description: 'Name of the requested signer.', value: ({ spec }) => spec.signerName || '<none>' },
  { name: 'Requestor', description: 'Name of the requesting user.', value: ({ spec }) => spec.username ?? '' },
  {
    name: 'RequestedDuration',
    description: 'Requested validity of the certificate.',
    value: ({ spec }) => (spec.expirationSeconds === undefined ? '<none>' : formatHumanDuration(spec.expirationSeconds * 1000)),
  },
  { name: 'Condition', description: 'Approval, failure and issuance of the request.', value: ({ status = {} }) => formatCondition(status) },
]

function formatCondition({ conditions = [], certificate = '' }: DeepReadonly<NonNullable<CertificateSigningRequest['status']>>): string {
  const has = (conditionType: string): boolean => conditions.some(({ type }) => type === conditionType)
  const approval = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'
  return [approval, ...(has('Failed') ? ['Failed'] : []), ...(certificate === '' ? [] : ['Issued'])].join(',')
}
