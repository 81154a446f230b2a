import type { Check, CheckedContainer, CheckPod } from '../check.ts'
import { formatContainerNames, plural, sorted } from '../phrases.ts'

function hostPortsOf({ ports }: CheckedContainer): string[] {
  return (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []))
}

const check: CheckPod = ({ containers }) => {
  const violating = containers.filter((container) => hostPortsOf(container).length > 0)
  if (violating.length === 0) return undefined
  const ports = sorted(violating.flatMap(hostPortsOf))
  return {
    reason: 'hostPort',
    detail: `${formatContainerNames(violating)} ${plural(violating.length, 'uses', 'use')} ${plural(ports.length, 'hostPort')} ${ports.join(', ')}`,
  }
}

export const hostPorts: Check = { id: 'hostPorts', level: 'baseline', versions: [{ from: 0, check }] }
