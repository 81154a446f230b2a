import type { CertificateSigningRequest } from '@keelson/api/certificates/v1'
import type { DeepReadonly } from '@keelson/apimachinery'
import { ageColumn, humanDuration, nameColumn } from '@keelson/registry'
import type { Column } from '@keelson/registry'

export const signingRequestColumns: readonly Column<CertificateSigningRequest>[] = [
  nameColumn,
  ageColumn,
  { name: 'SignerName', description: 'Who is asked.', value: ({ spec }) => spec.signerName || '<none>' },
  { name: 'Requestor', description: 'Who asks.', value: ({ spec }) => spec.username ?? '' },
  {
    name: 'RequestedDuration',
    description: 'How long the certificate is to be good.',
    value: ({ spec }) => (spec.expirationSeconds === undefined ? '<none>' : humanDuration(spec.expirationSeconds * 1000)),
  },
  { name: 'Condition', description: 'What has become of it.', value: ({ status = {} }) => conditionText(status) },
]

function conditionText({ conditions = [], certificate = '' }: DeepReadonly<NonNullable<CertificateSigningRequest['status']>>): string {
  const has = (wanted: string): boolean => conditions.some(({ type }) => type === wanted)
  const verdict = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending'
  return [verdict, ...(has('Failed') ? ['Failed'] : []), ...(certificate === '' ? [] : ['Issued'])].join(',')
}
