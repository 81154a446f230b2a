import type { EndpointSlice } from '@keelson/api/discovery/v1'
import type { Column } from '@keelson/registry'

const maxShown = 3

export const endpointSliceColumns: readonly Column<EndpointSlice>[] = [
  { name: 'AddressType', description: 'Type of the addresses.', value: ({ addressType }) => addressType },
  {
    name: 'Ports',
    description: 'Ports of the endpoints.',
    value: ({ ports }) => formatSummary((ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? '*') : String(port)))),
  },
  {
    name: 'Endpoints',
    description: 'Addresses of the endpoints.',
    value: ({ endpoints }) => formatSummary((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
  },
]

function formatSummary(items: readonly string[]): string {
  const text = items.slice(0, maxShown).join(',')
  return items.length > maxShown ? `${text} + ${items.length - maxShown} more...` : text || '<unset>'
}
