import type { Check, CheckPod } from '../check.ts'
import { formatContainerNames } from '../phrases.ts'

const check: CheckPod = ({ spec }) => {
  const violating = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined)
  return violating.length === 0 ? undefined : { reason: 'hostPath volumes', detail: formatContainerNames(violating, 'volume') }
}

export const hostPathVolumes: Check = { id: 'hostPathVolumes', level: 'baseline', versions: [{ from: 0, check }] }
