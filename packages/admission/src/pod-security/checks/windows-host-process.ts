import type { Check, CheckPod } from '../check.ts'
import { formatViolators } from '../phrases.ts'

const check: CheckPod = ({ spec, containers }) => {
  const violators = formatViolators(
    spec.securityContext?.windowsOptions?.hostProcess === true,
    containers.filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true),
  )
  return violators === ''
    ? undefined
    : { reason: 'hostProcess', detail: `${violators} must not set securityContext.windowsOptions.hostProcess=true` }
}

export const windowsHostProcess: Check = { id: 'windowsHostProcess', level: 'baseline', versions: [{ from: 0, check }] }
