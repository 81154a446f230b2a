import type { Check, CheckedContainer, CheckPod } from '../check.ts'
import { formatContainerNames, formatPlural, quoteItems, sortItems } from '../phrases.ts'

function listHosts({ livenessProbe, readinessProbe, startupProbe, lifecycle }: CheckedContainer): string[] {
  return [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop]
    .flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host])
    .filter((host) => host !== undefined && host !== '') as string[]
}

const check: CheckPod = ({ containers }) => {
  const violating = containers.filter((container) => listHosts(container).length > 0)
  if (violating.length === 0) return undefined
  const hosts = sortItems(violating.flatMap(listHosts))
  const what = 'probe or lifecycle host'
  const names = sortItems(violating.map(({ name }) => name)).map((name) => ({ name }))
  return {
    reason: what,
    detail: `${formatContainerNames(names)} ${formatPlural(names.length, 'uses', 'use')} ${formatPlural(hosts.length, what)} ${quoteItems(hosts)}`,
  }
}

export const hostProbesAndHostLifecycle: Check = {
  id: 'hostProbesAndHostLifecycle',
  level: 'baseline',
  versions: [{ from: 34, check }],
}
