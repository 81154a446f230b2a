import type { CheckPod } from '../check.ts'

/** Returns a check that skips Windows pods, for checks that apply only to Linux. */
export function skipForWindows(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : check(pod))
}

/** Returns a check that skips pods in a user namespace, because their root user has no privileges on the host. */
export function skipForUserNamespace(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod))
}
