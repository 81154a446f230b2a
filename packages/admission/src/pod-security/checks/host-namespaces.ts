import type { Check, CheckPod } from '../check.ts'

const check: CheckPod = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true)
  return shared.length === 0 ? undefined : { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') }
}

export const hostNamespaces: Check = { id: 'hostNamespaces', level: 'baseline', versions: [{ from: 0, check }] }
