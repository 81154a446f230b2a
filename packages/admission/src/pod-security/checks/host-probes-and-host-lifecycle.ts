import type { Check, CheckedContainer, CheckPod } from '../check.ts'
import { formatContainerNames, plural, quoted, sorted } from '../phrases.ts'

function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: CheckedContainer): string[] {
  return [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
    .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
    .filter((host) => host !== undefined && host !== '') as string[]
}

const check: CheckPod = ({ containers }) => {
  const violating = containers.filter((container) => hostsOf(container).length > 0)
  if (violating.length === 0) return undefined
  const hosts = sorted(violating.flatMap(hostsOf))
  const what = 'probe or lifecycle host'
  const names = sorted(violating.map(({ name }) => name)).map((name) => ({ name }))
  return {
    reason: what,
    detail: `${formatContainerNames(names)} ${plural(names.length, 'uses', 'use')} ${plural(hosts.length, what)} ${quoted(hosts)}`,
  }
}

export const hostProbesAndHostLifecycle: Check = {
  id: 'hostProbesAndHostLifecycle',
  level: 'baseline',
  versions: [{ from: 34, check }],
}
