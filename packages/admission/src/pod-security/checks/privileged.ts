import type { Check, CheckPod } from '../check.ts'
import { formatContainerNames } from '../phrases.ts'

const check: CheckPod = ({ containers }) => {
  const violating = containers.filter(({ securityContext }) => securityContext?.privileged === true)
  return violating.length === 0
    ? undefined
    : { reason: 'privileged', detail: `${formatContainerNames(violating)} must not set securityContext.privileged=true` }
}

export const privileged: Check = { id: 'privileged', level: 'baseline', versions: [{ from: 0, check }] }
