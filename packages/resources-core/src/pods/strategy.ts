import type { DeepReadonly, DeleteOptions } from '@keelson/apimachinery'
import type { Pod, PodStatus } from '@keelson/api/core/v1'
import type { Strategy } from '@keelson/registry'
import { isDeepStrictEqual } from 'node:util'
import { qosClass } from './qos.ts'
import { validatePod, validatePodUpdate } from './validate.ts'

export const podStrategy: Strategy<Pod> = {
  prepareForCreate(_context, pod) {
    pod.metadata.generation = 1
    pod.status = { phase: 'Pending', qosClass: qosClass(pod) }
    if ((pod.spec?.schedulingGates ?? []).length > 0)
      pod.status.conditions = [
        { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated', message: 'Scheduling is blocked due to non-empty scheduling gates' },
      ]
  },
  validateCreate: (_context, pod) => validatePod(pod),
  warningsOnCreate: () => [],
  prepareForUpdate(_context, pod, old) {
    if (old.status === undefined) delete pod.status
    else pod.status = structuredClone(old.status) as PodStatus
    pod.metadata.generation = old.metadata.generation ?? 0
    if (!isDeepStrictEqual(pod.spec, old.spec)) pod.metadata.generation += 1
  },
  validateUpdate: (_context, pod, old) => validatePodUpdate(pod, old),
  checkGracefulDelete: (_context, pod, options) => {
    options.gracePeriodSeconds = gracePeriod(pod, options)
    return true
  },
}

/** A pod that no kubelet has, or that has ended, goes at once; a negative period means one second. */
function gracePeriod(pod: DeepReadonly<Pod>, options: DeleteOptions): number {
  const asked = options.gracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 0
  const unscheduled = (pod.spec?.nodeName ?? '') === ''
  const ended = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded'
  if (unscheduled || ended) return 0
  return asked < 0 ? 1 : asked
}
