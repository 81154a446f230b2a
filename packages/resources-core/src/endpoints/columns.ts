import type { Endpoints } from '@keelson/api/core/v1'
import type { DeepReadonly } from '@keelson/apimachinery'

const maxShown = 3

/** Formats endpoints like "10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 4 more...". */
export function formatEndpoints({ subsets = [] }: DeepReadonly<Endpoints>): string {
  if (subsets.length === 0) return '<none>'
  const all = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => `${ip.includes(':') ? `[${ip}]` : ip}:${port}`)),
  )
  const text = all.slice(0, maxShown).join(',')
  return all.length > maxShown ? `${text} + ${all.length - maxShown} more...` : text
}
