import type { Check, CheckPod } from '../check.ts'
import { containerNames } from '../phrases.ts'

const check: CheckPod = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined)
  return bad.length === 0 ? undefined : { reason: 'hostPath volumes', detail: containerNames(bad, 'volume') }
}

export const hostPathVolumes: Check = { id: 'hostPathVolumes', level: 'baseline', versions: [{ from: 0, check }] }
