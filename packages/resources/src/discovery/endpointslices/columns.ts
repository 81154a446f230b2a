import type { EndpointSlice } from '@keelson/api/discovery/v1'
import type { Column } from '@keelson/registry'

const shown = 3

export const endpointSliceColumns: readonly Column<EndpointSlice>[] = [
  { name: 'AddressType', description: 'Of which kind the addresses are.', value: ({ addressType }) => addressType },
  {
    name: 'Ports',
    description: 'Where the endpoints listen.',
    value: ({ ports }) => summary((ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? '*') : String(port)))),
  },
  {
    name: 'Endpoints',
    description: 'The addresses.',
    value: ({ endpoints }) => summary((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
  },
]

function summary(items: readonly string[]): string {
  const text = items.slice(0, shown).join(',')
  return items.length > shown ? `${text} + ${items.length - shown} more...` : text || '<unset>'
}
