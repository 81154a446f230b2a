import type { Check, CheckedContainer, CheckPod } from '../check.ts'
import { formatContainerNames, formatPlural, sortItems } from '../phrases.ts'

function listHostPorts({ ports }: CheckedContainer): string[] {
  return (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []))
}

const check: CheckPod = ({ containers }) => {
  const violating = containers.filter((container) => listHostPorts(container).length > 0)
  if (violating.length === 0) return undefined
  const ports = sortItems(violating.flatMap(listHostPorts))
  return {
    reason: 'hostPort',
    detail: `${formatContainerNames(violating)} ${formatPlural(violating.length, 'uses', 'use')} ${formatPlural(ports.length, 'hostPort')} ${ports.join(', ')}`,
  }
}

export const hostPorts: Check = { id: 'hostPorts', level: 'baseline', versions: [{ from: 0, check }] }
