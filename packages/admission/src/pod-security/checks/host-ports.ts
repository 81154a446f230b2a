import type { Check, CheckedContainer, CheckPod } from '../check.ts'
import { containerNames, plural, sorted } from '../phrases.ts'

function hostPortsOf({ ports }: CheckedContainer): string[] {
  return (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []))
}

const check: CheckPod = ({ containers }) => {
  const bad = containers.filter((container) => hostPortsOf(container).length > 0)
  if (bad.length === 0) return undefined
  const ports = sorted(bad.flatMap(hostPortsOf))
  return {
    reason: 'hostPort',
    detail: `${containerNames(bad)} ${plural(bad.length, 'uses', 'use')} ${plural(ports.length, 'hostPort')} ${ports.join(', ')}`,
  }
}

export const hostPorts: Check = { id: 'hostPorts', level: 'baseline', versions: [{ from: 0, check }] }
