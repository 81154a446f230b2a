import type { CheckPod } from '../check.ts'

/** What only means something on Linux is not asked of a pod that says it is for Windows. */
export function unlessWindows(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.os?.name === 'windows' ? undefined : check(pod))
}

/** Root in a user namespace of its own is nobody on the host. */
export function unlessUserNamespace(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod))
}
