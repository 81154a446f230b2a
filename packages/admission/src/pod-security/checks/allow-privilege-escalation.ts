import type { Check, CheckPod } from '../check.ts'
import { formatContainerNames } from '../phrases.ts'
import { skipForWindows } from './relaxations.ts'

const check: CheckPod = ({ containers }) => {
  const violating = containers.filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false)
  if (violating.length === 0) return undefined
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${formatContainerNames(violating)} must set securityContext.allowPrivilegeEscalation=false`,
  }
}

export const allowPrivilegeEscalation: Check = {
  id: 'allowPrivilegeEscalation',
  level: 'restricted',
  versions: [
    { from: 8, check },
    { from: 25, check: skipForWindows(check) },
  ],
}
