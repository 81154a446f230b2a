import type { Endpoints } from '@keelson/api/core/v1'

export function setEndpointsDefaults({ subsets = [] }: Endpoints): void {
  for (const { ports = [] } of subsets) for (const port of ports) port.protocol ||= 'TCP'
}
