import type { Check, CheckPod } from '../check.ts'
import { formatViolators } from '../phrases.ts'
import { skipForUserNamespace } from './relaxations.ts'

const check: CheckPod = ({ spec, containers }) => {
  const violators = formatViolators(
    spec.securityContext?.runAsUser === 0,
    containers.filter(({ securityContext }) => securityContext?.runAsUser === 0),
  )
  return violators === '' ? undefined : { reason: 'runAsUser=0', detail: `${violators} must not set runAsUser=0` }
}

export const runAsUser: Check = {
  id: 'runAsUser',
  level: 'restricted',
  versions: [
    { from: 23, check },
    { from: 35, check: skipForUserNamespace(check) },
  ],
}
