import type { CheckPod } from '../check.ts'

/** Skips a Linux-only check for Windows pods. */
export function unlessWindows(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : check(pod))
}

/** Skips a check for pods in a user namespace: their root has no privileges on the host. */
export function unlessUserNamespace(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod))
}
