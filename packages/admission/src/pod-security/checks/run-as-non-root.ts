import type { Check, CheckPod } from '../check.ts'
import { formatContainerNames, formatViolators } from '../phrases.ts'
import { skipForUserNamespace } from './relaxations.ts'

const reason = 'runAsNonRoot != true'

const check: CheckPod = ({ spec, containers }) => {
  const ofPod = spec.securityContext?.runAsNonRoot
  const explicit = formatViolators(
    ofPod === false,
    containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false),
  )
  if (explicit !== '') return { reason, detail: `${explicit} must not set securityContext.runAsNonRoot=false` }
  if (ofPod === true) return undefined
  const silent = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined)
  return silent.length === 0
    ? undefined
    : { reason, detail: `pod or ${formatContainerNames(silent)} must set securityContext.runAsNonRoot=true` }
}

export const runAsNonRoot: Check = {
  id: 'runAsNonRoot',
  level: 'restricted',
  versions: [
    { from: 0, check },
    { from: 35, check: skipForUserNamespace(check) },
  ],
}
